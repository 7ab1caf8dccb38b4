import optigpu as og

m, n, p = og.sizes("m n p")


@og.program(sizes="m n p")
@og.requires("A: int * int -> float, B: int * int -> float")
@og.reads("a ~> Matrix2(m, p, A), b ~> Matrix2(p, n, B)")
@og.writes("c ~> Matrix2(m, n, fun i j -> Sum(k in 0..p, A(i, k) * B(k, j)))")
def matmul_ikj(a: og.f32[m, p], b: og.f32[p, n]) -> og.f32[m, n]:
    """c = a * b, row by row: the inner loop runs along rows of b and c."""
    c = og.empty(og.f32[m, n])
    for i in og.range(m):
        for j in og.range(n):
            c[i, j] = 0.0
        for k in og.range(p):
            for j in og.range(n):
                c[i, j] += a[i, k] * b[k, j]
    return c
