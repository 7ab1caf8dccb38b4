// A sum of partial sums: tiles first, then a strided loop over the remaining elements.
// expect: VERIFIED
// mutate: "i += 4" -> "i += 8" => REFUTED[OG307] _Res =. Sum(i in 0..n, A(i))
// mutate: "2 * b + t; i < n;" -> "2 * b + t; i < n - 1;" => REFUTED[OG307] _Res =. Sum(i in 0..n, A(i))
// mutate: "part[b][t] = 0.0f" -> "part[b][t] = 1.0f" => REFUTED[OG307] _Res =. Sum(i in 0..n, A(i))

float sum(int n, float a[n]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __ensures("_Res =. Sum(i in 0..n, A(i))");
  float part[2][2];
  for (int b = 0; b < 2; b++) {
    for (int t = 0; t < 2; t++) {
      part[b][t] = 0.0f;
      for (int k = 0; k < n / 16; k++) {
        for (int u = 0; u < 2; u++) {
          for (int v = 0; v < 2; v++) {
            part[b][t] += a[(2 * k + b) * 8 + 4 * u + 2 * t + v];
          }
        }
      }
      for (int i = n / 16 * 16 + 2 * b + t; i < n; i += 4) {
        part[b][t] += a[i];
      }
    }
  }
  float s = 0.0f;
  for (int b = 0; b < 2; b++) {
    for (int t = 0; t < 2; t++) {
      s += part[b][t];
    }
  }
  return s;
}
