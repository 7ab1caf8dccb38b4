import optigpu as og

h, w = og.sizes("h w")


@og.program
@og.requires("A: int * int -> float")
@og.reads("a ~> Matrix2(h, w, A)")
@og.writes("sums ~> Matrix1(h, fun i -> Sum(j in 0..w, A(i, j)))")
def row_sums(a: og.f32[h, w]) -> og.f32[h]:
    sums = og.empty(og.f32[h])
    for i in og.range(h):
        sums[i] = 0.0
        for j in og.range(w):
            sums[i] += a[i, j]
    return sums
