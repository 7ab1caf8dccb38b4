import optigpu as og

n = og.sizes("n")


@og.program
@og.requires("X: int -> float, Y: int -> float")
@og.reads("x ~> Matrix1(n, X), y ~> Matrix1(n, Y)")
@og.ensures("_Res == Sum(i in 0..n, X(i) * Y(i))")
def dot(x: og.f32[n], y: og.f32[n]) -> og.f32:
    total = 0.0
    for i in og.range(n):
        total += x[i] * y[i]
    return total
