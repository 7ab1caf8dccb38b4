import optigpu as og

TILE = 16
n = og.sizes("n")


@og.program
@og.requires("A: int -> float, divides: n % TILE == 0")
@og.reads("a ~> Matrix1(n, A)")
@og.ensures("_Res == Sum(i in 0..n, A(i))")
def tiled_exact(a: og.f32[n]) -> og.f32:
    """A sum in tiles of 16; the size is a multiple of 16."""
    total = 0.0
    for b in og.range(og.exact_div(n, TILE)):
        for i in og.range(TILE):
            total += a[b * TILE + i]
    return total
