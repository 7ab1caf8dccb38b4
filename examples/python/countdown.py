import optigpu as og

n = og.sizes("n")


@og.program
@og.writes("a ~> Matrix1(n, fun i -> n - i)")
def countdown(a: og.i32[n]):
    """From the last element to the first."""
    for i in og.range(n - 1, -1, -1):
        a[i] = n - i
