// Pooling in two dimensions: the maximum of a window of three cells in each, with a guard for the padding.
// expect: VERIFIED
// mutate: "if (i1 + j1 >= 1 && i1 + j1 - 1 < m)" -> "if (i1 + j1 >= 1 && i1 + j1 < m)"
//   => REFUTED[OG305] c ~> Matrix2(m, m, fun i0 i1 -> max(0, Max(j0 in 0..3, j1 in 0..3, i0 + j0 >= 1 && i0 + j0 - 1 < m && i1 + j1 >= 1 && i1 + j1 - 1 < m ? A(i0 + j0 - 1, i1 + j1 - 1) : 0)))
// mutate: "if (i0 + j0 >= 1 && i0 + j0 - 1 < m)" -> "if (i0 + j0 - 1 < m)" => REFUTED[OG302] a[i0 + j0 - 1][i1 + j1 - 1]

void f(int m, float a[m][m], float c[m][m]) {
  __requires("A: int * int -> float");
  __reads("a ~> Matrix2(m, m, A)");
  __writes("c ~> Matrix2(m, m, fun i0 i1 -> max(0, Max(j0 in 0..3, j1 in 0..3, i0 + j0 >= 1 && i0 + j0 - 1 < m && i1 + j1 >= 1 && i1 + j1 - 1 < m ? A(i0 + j0 - 1, i1 + j1 - 1) : 0)))");
  for (int i0 = 0; i0 < m; i0++)
  for (int i1 = 0; i1 < m; i1++)
  {
    float best = 0.0f;
    for (int j0 = 0; j0 < 3; j0++) if (i0 + j0 >= 1 && i0 + j0 - 1 < m)
    for (int j1 = 0; j1 < 3; j1++) if (i1 + j1 >= 1 && i1 + j1 - 1 < m)
      best = fmaxf(best, a[i0 + j0 - 1][i1 + j1 - 1]);
    c[i0][i1] = best;
  }
}
