import optigpu as og

n = og.sizes("n")


@og.program
@og.requires("A: int -> float")
@og.reads("a ~> Matrix1(n, A)")
@og.writes("out ~> Matrix1(n, fun i -> Sum(j in 0..i + 1, A(j)))")
def prefix_sums(a: og.f32[n]) -> og.f32[n]:
    """out[i] = a[0] + … + a[i]"""
    out = og.empty(og.f32[n])
    total = 0.0
    for i in og.range(n):
        total += a[i]
        out[i] = total
    return out
