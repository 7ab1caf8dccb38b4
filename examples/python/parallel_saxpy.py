import optigpu as og

n = og.sizes("n")


@og.program
@og.requires("X: int -> float, Y: int -> float")
@og.reads("x ~> Matrix1(n, X)")
@og.consumes("y ~> Matrix1(n, Y)")
@og.produces("y ~> Matrix1(n, fun i -> s * X(i) + Y(i))")
def parallel_saxpy(s: og.f32, x: og.f32[n], y: og.f32[n]):
    """y = s * x + y on all cores."""
    for i in og.parallel(n):
        y[i] = s * x[i] + y[i]
