// A sum of products over tiles that stick out of the arrays: a copy holds 0 outside, by a path without guards or element by element.
// expect: VERIFIED
// run: clean
// also: annotated, replay
// mutate: "y[k] = 0.0f" -> "y[k] = 1.0f", "x[k] = 0.0f" -> "x[k] = 1.0f" => REFUTED[OG307] _Res == Sum(k in 0..p, A(k) * B(k))
// mutate: "4 * t + 3 < p" -> "4 * t + 2 < p" => REFUTED[OG302] 1st a[4 * t + k]
// mutate: "4 * t + 3 < p" -> "4 * t + 4 < p" => VERIFIED

float dot(int p, float a[p], float b[p]) {
  __requires("A: int -> float, B: int -> float");
  __reads("a ~> Matrix1(p, A), b ~> Matrix1(p, B)");
  __ensures("_Res == Sum(k in 0..p, A(k) * B(k))");
  float sum = 0.0f;
  for (int t = 0; t < (p + 3) / 4; t++) {
    float x[4];
    if (4 * t + 3 < p) {
      for (int k = 0; k < 4; k++) {
        x[k] = a[4 * t + k];
      }
    } else {
      for (int k = 0; k < 4; k++) {
        if (4 * t + k < p) {
          x[k] = a[4 * t + k];
        } else {
          x[k] = 0.0f;
        }
      }
    }
    float y[4];
    for (int k = 0; k < 4; k++) {
      if (4 * t + k < p) {
        y[k] = b[4 * t + k];
      } else {
        y[k] = 0.0f;
      }
    }
    for (int k = 0; k < 4; k++) {
      sum += x[k] * y[k];
    }
  }
  return sum;
}
