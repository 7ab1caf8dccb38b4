// Wrong variants of examples/histogram.c.
// program: examples/histogram.c
// expect: VERIFIED
// mutate: "counts[keys[i]] += 1" -> "counts[keys[i]] = 1"
//   => REFUTED[OG305] counts ~> Matrix1(bins, fun b -> Sum(i in 0..n, K(i) == b ? 1 : 0))
//   run: OG212 counts ~> Matrix1(bins, fun b -> Sum(i in 0..n, K(i) == b ? 1 : 0))
// mutate: "K(i) < bins" -> "K(i) <= bins" => REFUTED[OG302] counts[keys[i]]
//   run: OG201 counts[keys[i]]
