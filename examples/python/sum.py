import optigpu as og

n = og.sizes("n")


@og.program
@og.requires("A: int -> float")
@og.reads("a ~> Matrix1(n, A)")
@og.ensures("_Res == Sum(i in 0..n, A(i))")
def sum(a: og.f32[n]) -> og.f32:
    total = 0.0
    for i in og.range(n):
        total += a[i]
    return total
