import optigpu as og

n, bins = og.sizes("n bins")


@og.program
@og.requires("K: int -> int")
@og.requires("in_bins: forall i in 0..n -> 0 <= K(i) && K(i) < bins")
@og.reads("keys ~> Matrix1(n, K)")
@og.writes("counts ~> Matrix1(bins, fun b -> Sum(i in 0..n, K(i) == b ? 1 : 0))")
def histogram(keys: og.i32[n], counts: og.i32[bins]):
    """How often each key occurs."""
    for b in og.range(bins):
        counts[b] = 0
    for i in og.range(n):
        counts[keys[i]] += 1
