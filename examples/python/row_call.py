import optigpu as og

n, h, w = og.sizes("n h w")


@og.program
@og.requires("R: int -> float")
@og.reads("row ~> Matrix1(n, R)")
@og.ensures("_Res == Sum(j in 0..n, R(j))")
def row_sum(row: og.f32[n]) -> og.f32:
    """The sum of a row."""
    total = 0.0
    for j in og.range(n):
        total += row[j]
    return total


@og.program
@og.requires("R: int -> float")
@og.consumes("row ~> Matrix1(n, R)")
@og.produces("row ~> Matrix1(n, fun j -> s * R(j))")
def scale_row(s: og.f32, row: og.f32[n]):
    """Scales a row in place."""
    for j in og.range(n):
        row[j] = s * row[j]


@og.program
@og.requires("A: int * int -> float")
@og.consumes("a ~> Matrix2(h, w, A)")
@og.produces("a ~> Matrix2(h, w, fun i j -> Sum(k in 0..w, A(i, k)) * A(i, j))")
def row_call(a: og.f32[h, w]):
    """Each element times the sum of its row."""
    for i in og.range(h):
        s = row_sum(a[i])
        scale_row(s, a[i])
