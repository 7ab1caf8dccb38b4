import optigpu as og

n = og.sizes("n")


@og.program
@og.requires("A: int -> float, not_empty: n > 0")
@og.reads("a ~> Matrix1(n, A)")
@og.ensures("_Res == Max(i in 0..n, A(i))")
def maximum(a: og.f32[n]) -> og.f32:
    best = a[0]
    for i in og.range(1, n):
        best = max(best, a[i])
    return best
