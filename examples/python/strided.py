import optigpu as og

n = og.sizes("n")


@og.program
@og.writes("a ~> Matrix1(n, fun i -> i % 2)")
def strided(a: og.i32[n]):
    """Even positions get 0, odd ones get 1."""
    for i in og.range(0, n, 2):
        a[i] = 0
    for i in og.range(1, n, 2):
        a[i] = 1
