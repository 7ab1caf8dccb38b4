import optigpu as og

h, w = og.sizes("h w")


@og.program
@og.requires("A: int * int -> float, w > 0")
@og.reads("a ~> Matrix2(h, w, A)")
@og.writes("b ~> Matrix2(h, w, fun i j -> expf(A(i, j)) / Sum(k in 0..w, expf(A(i, k))))")
def softmax_half(a: og.f16[h, w]) -> og.f16[h, w]:
    """Each row of b is the softmax of that row of a: numbers of 16 bits in memory, computed in floats."""
    b = og.empty(og.f16[h, w])
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
