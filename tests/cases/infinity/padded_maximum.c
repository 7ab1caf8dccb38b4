// Max pooling: a window that reaches beyond the array is padded with -INFINITY. The maximum starts there, too.
// expect: VERIFIED
// mutate: "best = -INFINITY" -> "best = INFINITY" => UNPROVED[OG305]
//   y ~> Matrix1(n, fun i -> Max(p in 0..5, 0 <= i - 2 + p && i - 2 + p < n ? X(i - 2 + p) : -INFINITY))
// mutate: "best = -INFINITY" -> "best = -1000.0f" => UNPROVED[OG305]
//   y ~> Matrix1(n, fun i -> Max(p in 0..5, 0 <= i - 2 + p && i - 2 + p < n ? X(i - 2 + p) : -INFINITY))
// mutate: "best = -INFINITY" -> "best = 0.0f" => REFUTED[OG305]
//   y ~> Matrix1(n, fun i -> Max(p in 0..5, 0 <= i - 2 + p && i - 2 + p < n ? X(i - 2 + p) : -INFINITY))
// mutate: "p = 0; p < 5" -> "p = 1; p < 5" => REFUTED[OG305]
//   y ~> Matrix1(n, fun i -> Max(p in 0..5, 0 <= i - 2 + p && i - 2 + p < n ? X(i - 2 + p) : -INFINITY))
// mutate: ": -INFINITY" -> ": 0.0f" => REFUTED[OG305]
//   y ~> Matrix1(n, fun i -> Max(p in 0..5, 0 <= i - 2 + p && i - 2 + p < n ? X(i - 2 + p) : 0.0f))
// mutate: ": -INFINITY" -> ": -INFINITY + 1" => UNSUPPORTED[OG300] -INFINITY + 1
// mutate: "y[i] = best" -> "y[i] = best + INFINITY" => UNSUPPORTED[OG300] best + INFINITY
// also: replay, annotated
// run: clean

void padded_maximum(int n, float x[n], float y[n]) {
  __requires("X: int -> float");
  __reads("x ~> Matrix1(n, X)");
  __writes("y ~> Matrix1(n, fun i -> Max(p in 0..5, 0 <= i - 2 + p && i - 2 + p < n ? X(i - 2 + p) : -INFINITY))");
  for (int i = 0; i < n; i++) {
    float best = -INFINITY;
    for (int p = 0; p < 5; p++) {
      const int s = i - 2 + p;
      if (0 <= s && s < n) {
        best = fmaxf(best, x[s]);
      }
    }
    y[i] = best;
  }
}
