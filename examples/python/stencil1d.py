import optigpu as og

n = og.sizes("n")


@og.program
@og.requires("A: int -> float, size: n >= 2")
@og.reads("a ~> Matrix1(n, A)")
@og.writes("b ~> Matrix1(n, fun i -> i == 0 || i == n - 1 ? A(i) : (A(i - 1) + A(i) + A(i + 1)) / 3)")
def stencil1d(a: og.f32[n]) -> og.f32[n]:
    """The mean of three neighbours; the two ends are copied."""
    b = og.empty(og.f32[n])
    b[0] = a[0]
    for i in og.range(1, n - 1):
        b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3.0
    b[n - 1] = a[n - 1]
    return b
