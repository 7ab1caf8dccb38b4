import optigpu as og

H, W = og.sizes("H W")


@og.program(sizes="W H")
@og.requires("A: int * int -> float")
@og.reads("a ~> Matrix2(H, W, A)")
@og.writes("b ~> Matrix2(W, H, fun i j -> A(j, i))")
def transpose(a: og.f32[H, W]) -> og.f32[W, H]:
    b = og.empty(og.f32[W, H])
    for x in og.range(W):
        for y in og.range(H):
            b[x, y] = a[y, x]
    return b
