// A maximum that starts at -INFINITY is subtracted where it is shown to be a number: there is an element, and elements are numbers.
// expect: VERIFIED
// also: replay
// run: clean
// mutate: "j = 0; j < w; j++) {\n      best" -> "j = 1; j < w; j++) {\n      best" => REFUTED[OG337] 1st best)
// mutate: "best = -INFINITY" -> "best = INFINITY" => REFUTED[OG337] 1st best)
// mutate: "best = fmaxf(best, x[i][j]);" -> "best = fminf(best, x[i][j]);" => REFUTED[OG337] 1st best)
// mutate: "y[i][j] = expf(x[i][j] - best) / total;" -> "y[i][j] = expf(x[i][j] - best) / total; best = -INFINITY;"
//    => UNPROVED[OG337] 2nd best)
// mutate: "w > 0" -> "w > 0, h > 0, X(0, 0) == -INFINITY || X(0, 0) == 0" => UNPROVED[OG337] 1st best)
// mutate: "total += expf(x[i][j] - best);" -> "total += expf(x[i][j] - best) * fabsf(first);" => REFUTED[OG337] fabsf(first)
// mutate: "best = fmaxf(best, x[i][j]);" -> "best = fmaxf(best, j < 3 ? x[i][j] : -INFINITY);" => VERIFIED
// mutate: "best = fmaxf(best, x[i][j]);" -> "best = fmaxf(best, j > 3 ? x[i][j] : -INFINITY);" => REFUTED[OG337] 1st best)

#include <optigpu.h>
void subtracted(int h, int w, float x[h][w], float y[h][w]) {
  __requires("X: int * int -> float, w > 0");
  __reads("x ~> Matrix2(h, w, X)");
  __writes("y ~> Matrix2(h, w, fun i j -> expf(X(i, j)) / Sum(k in 0..w, expf(X(i, k))))");
  const float first = -INFINITY;
  for (int i = 0; i < h; i++) {
    float best = -INFINITY;
    for (int j = 0; j < w; j++) {
      best = fmaxf(best, x[i][j]);
    }
    float total = 0.0f;
    for (int j = 0; j < w; j++) {
      total += expf(x[i][j] - best);
    }
    for (int j = 0; j < w; j++) {
      y[i][j] = expf(x[i][j] - best) / total;
    }
  }
}
