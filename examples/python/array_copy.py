import optigpu as og

n = og.sizes("n")


@og.program
@og.requires("A: int -> float")
@og.reads("a ~> Matrix1(n, A)")
@og.writes("b ~> Matrix1(n, A)")
def copy(a: og.f32[n]) -> og.f32[n]:
    b = og.empty(og.f32[n])
    for i in og.range(n):
        b[i] = a[i]
    return b
