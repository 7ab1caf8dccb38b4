import optigpu as og

m, n, p = og.sizes("m n p")


@og.program(sizes="m n p")
@og.requires("A: int * int -> float, B: int * int -> float")
@og.reads("a ~> Matrix2(m, p, A), b ~> Matrix2(p, n, B)")
@og.writes("c ~> Matrix2(m, n, fun i j -> Sum(k in 0..p, A(i, k) * B(k, j)))")
def matmul(a: og.f32[m, p], b: og.f32[p, n]) -> og.f32[m, n]:
    """c = a * b, one element after the other."""
    c = og.empty(og.f32[m, n])
    for i in og.range(m):
        for j in og.range(n):
            sum = 0.0
            for k in og.range(p):
                sum += a[i, k] * b[k, j]
            c[i, j] = sum
    return c
