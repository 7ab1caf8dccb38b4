// A histogram: cells accumulated at indices that are read from memory.
// expect: VERIFIED
// mutate: "counts[keys[i]] += 1" -> "counts[keys[i]] += 2"
//   => REFUTED[OG305] counts ~> Matrix1(bins, fun b -> Sum(i in 0..n, K(i) == b ? 1 : 0))
// mutate: "counts[keys[i]] += 1" -> "counts[i] += 1" => REFUTED[OG302] counts[i] += 1;
// mutate: "K(i) < bins" -> "K(i) <= bins" => REFUTED[OG302] counts[keys[i]]
// mutate: "  for (int i" -> "  #pragma omp parallel for\n  for (int i" => REFUTED[OG324] counts[keys[i]] += 1;
// mutate: "K(i) == b" -> "K(i) != b" => REFUTED[OG305] counts ~> Matrix1(bins, fun b -> Sum(i in 0..n, K(i) != b ? 1 : 0))

void histogram(int n, int bins, int keys[n], int counts[bins]) {
  __requires("K: int -> int, in_bins: forall i in 0..n -> 0 <= K(i) && K(i) < bins");
  __reads("keys ~> Matrix1(n, K)");
  __writes("counts ~> Matrix1(bins, fun b -> Sum(i in 0..n, K(i) == b ? 1 : 0))");
  for (int b = 0; b < bins; b++) {
    counts[b] = 0;
  }
  for (int i = 0; i < n; i++) {
    counts[keys[i]] += 1;
  }
}
