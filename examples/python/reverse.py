import optigpu as og

n = og.sizes("n")


@og.program
@og.requires("A: int -> float")
@og.reads("a ~> Matrix1(n, A)")
@og.writes("b ~> Matrix1(n, fun i -> A(n - 1 - i))")
def reverse(a: og.f32[n]) -> og.f32[n]:
    """b is a from back to front."""
    b = og.empty(og.f32[n])
    for i in og.range(n):
        b[n - 1 - i] = a[i]
    return b
