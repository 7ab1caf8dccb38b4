// The maximum of a four-dimensional array up to a bound in each dimension: four loops, each with a guard.
// expect: VERIFIED
// mutate: "if (i2 < b2)" -> "if (i2 <= b2)"
//   => REFUTED[OG307] _Res == max(0, Max(i0 in 0..m, i1 in 0..m, i2 in 0..m, i3 in 0..m, i0 < b0 && i1 < b1 && i2 < b2 && i3 < b3 ? A(i0, i1, i2, i3) : 0))
// mutate: "best = fmaxf(best, a[i0][i1][i2][i3])" -> "best = fmaxf(best, a[i0][i1][i3][i2])"
//   => REFUTED[OG307] _Res == max(0, Max(i0 in 0..m, i1 in 0..m, i2 in 0..m, i3 in 0..m, i0 < b0 && i1 < b1 && i2 < b2 && i3 < b3 ? A(i0, i1, i2, i3) : 0))

float f(int m, int b0, int b1, int b2, int b3, float a[m][m][m][m]) {
  __requires("A: int * int * int * int -> float, m > 0");
  __reads("a ~> Matrix4(m, m, m, m, A)");
  __ensures("_Res == max(0, Max(i0 in 0..m, i1 in 0..m, i2 in 0..m, i3 in 0..m, i0 < b0 && i1 < b1 && i2 < b2 && i3 < b3 ? A(i0, i1, i2, i3) : 0))");
  float best = 0.0f;
  for (int i0 = 0; i0 < m; i0++) if (i0 < b0)
    for (int i1 = 0; i1 < m; i1++) if (i1 < b1)
      for (int i2 = 0; i2 < m; i2++) if (i2 < b2)
        for (int i3 = 0; i3 < m; i3++) if (i3 < b3)
          best = fmaxf(best, a[i0][i1][i2][i3]);
  return best;
}
