import optigpu as og

TILE = 16
n = og.sizes("n")


@og.program
@og.requires("A: int -> float")
@og.reads("a ~> Matrix1(n, A)")
@og.writes("b ~> Matrix1(n, fun i -> 2 * A(i))")
def tiled_guard(a: og.f32[n]) -> og.f32[n]:
    """b = 2 * a in tiles of 16, for any size: the last tile is cut by a guard."""
    b = og.empty(og.f32[n])
    for t in og.range((n + TILE - 1) // TILE):
        for i in og.range(TILE):
            if t * TILE + i < n:
                b[t * TILE + i] = 2.0 * a[t * TILE + i]
    return b
