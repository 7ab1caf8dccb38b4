#include <optigpu.h>

// how often each key occurs
void histogram(int n, int bins, int keys[n], int counts[bins]) {
  __requires("K: int -> int");
  __requires("in_bins: forall i in 0..n -> 0 <= K(i) && K(i) < bins");
  __reads("keys ~> Matrix1(n, K)");
  __writes("counts ~> Matrix1(bins, fun b -> Sum(i in 0..n, K(i) == b ? 1 : 0))");
  for (int b = 0; b < bins; b++) {
    counts[b] = 0;
  }
  for (int i = 0; i < n; i++) {
    counts[keys[i]] += 1;
  }
}
