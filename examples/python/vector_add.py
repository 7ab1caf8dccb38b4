import optigpu as og

n = og.sizes("n")


@og.program
@og.requires("A: int -> float, B: int -> float")
@og.reads("a ~> Matrix1(n, A), b ~> Matrix1(n, B)")
@og.writes("c ~> Matrix1(n, fun i -> A(i) + B(i))")
def vector_add(a: og.f32[n], b: og.f32[n]) -> og.f32[n]:
    """c = a + b"""
    c = og.empty(og.f32[n])
    for i in og.range(n):
        c[i] = a[i] + b[i]
    return c
