import optigpu as og

h, w = og.sizes("h w")
og.define("row_max", "fun (A: int * int -> float) (i: int) (w: int) -> Max(j in 0..w, A(i, j))")


@og.program
@og.requires("A: int * int -> float, width: w > 0")
@og.reads("a ~> Matrix2(h, w, A)")
@og.writes("""b ~> Matrix2(h, w, fun i j -> expf(A(i, j) - row_max(A, i, w)) /
    Sum(k in 0..w, expf(A(i, k) - row_max(A, i, w))))""")
def softmax_rows(a: og.f32[h, w]) -> og.f32[h, w]:
    """Each row of b is the softmax of that row of a."""
    b = og.empty(og.f32[h, w])
    for i in og.range(h):
        best = a[i, 0]
        for j in og.range(1, w):
            best = max(best, a[i, j])
        total = 0.0
        for j in og.range(w):
            total += og.exp(a[i, j] - best)
        for j in og.range(w):
            b[i, j] = og.exp(a[i, j] - best) / total
    return b
