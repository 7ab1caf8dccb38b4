import optigpu as og

n = og.sizes("n")


@og.program
@og.requires("X: int -> float")
@og.consumes("x ~> Matrix1(n, X)")
@og.produces("x ~> Matrix1(n, fun i -> X(i) < 0 ? 0.0f : X(i))")
def relu(x: og.f32[n]):
    """In place: negative values become zero."""
    for i in og.range(n):
        if x[i] < 0.0:
            x[i] = 0.0
