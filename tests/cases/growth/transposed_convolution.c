// A transposed convolution with stride 2: guards with / and % say which inputs reach a cell.
// expect: VERIFIED
// also: replay
// mutate: "(i0 - j0) % 2 == 0 && (i0 - j0) / 2 < m)" -> "(i0 - j0) % 2 == 1 && (i0 - j0) / 2 < m)" => REFUTED[OG305] c ~> Matrix1
// mutate: "s += a[(i0 - j0) / 2]" -> "s += a[(i0 - j0) / 4]" => REFUTED[OG305] c ~> Matrix1
// mutate: "if (i0 >= j0 && " -> "if (" => REFUTED[OG302] a[(i0 - j0) / 2]

void f(int m, float a[m], float w[3], float c[2 * m + 1]) {
  __requires("A: int -> float, W: int -> float, m >= 0");
  __reads("a ~> Matrix1(m, A), w ~> Matrix1(3, W)");
  __writes("c ~> Matrix1(2 * m + 1, fun i0 -> Sum(j0 in 0..3, i0 >= j0 && (i0 - j0) % 2 == 0 && (i0 - j0) / 2 < m ? A((i0 - j0) / 2) * W(j0) : 0))");
  for (int i0 = 0; i0 < 2 * m + 1; i0++)
  {
    float s = 0.0f;
    for (int j0 = 0; j0 < 3; j0++) if (i0 >= j0 && (i0 - j0) % 2 == 0 && (i0 - j0) / 2 < m)
      s += a[(i0 - j0) / 2] * w[j0];
    c[i0] = s;
  }
}
