import optigpu as og

n = og.sizes("n")


@og.program
@og.requires("A: int -> float")
@og.requires("size: n >= 0")
@og.reads("a ~> Matrix1(n, A)")
@og.writes("b ~> Matrix1(n, fun i -> (A(i) + 1) * (A(i) + 1))")
def temporaries(a: og.f32[n]) -> og.f32[n]:
    """b[i] = (a[i] + 1)^2, through a temporary array."""
    b = og.empty(og.f32[n])
    t = og.empty(og.f32[n])
    for i in og.range(n):
        t[i] = a[i] + 1.0
    for i in og.range(n):
        b[i] = t[i] * t[i]
    return b
