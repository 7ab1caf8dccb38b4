import optigpu as og

h, w = og.sizes("h w")


@og.program
@og.requires("A: int * int -> float")
@og.reads("a ~> Matrix2(h, w, A)")
@og.writes("""for i in 1..h - 1 -> for j in 1..w - 1 -> &b[i][j] ~~>
    0.5f * A(i, j) + 0.125f * (A(i - 1, j) + A(i + 1, j) + A(i, j - 1) + A(i, j + 1))""")
def stencil2d(a: og.f32[h, w], b: og.f32[h, w]):
    """A five-point stencil on the interior; the border of b is left as it is."""
    for i in og.range(1, h - 1):
        for j in og.range(1, w - 1):
            b[i, j] = 0.5 * a[i, j] + 0.125 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
