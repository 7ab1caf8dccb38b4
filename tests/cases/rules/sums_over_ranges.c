// Laws of sums: ranges of two sums must agree.
// expect: VERIFIED
// mutate: "int i = m;" -> "int i = m - 1;" => REFUTED[OG302] 1st a[i]; }
// mutate: "m <= n" -> "m <= n + 1" => REFUTED[OG302] 2nd a[i]; }
// mutate: "0 <= m &&" -> "" => REFUTED[OG302] 1st a[i]; }
// mutate: "Sum(k in 0..n" -> "Sum(k in 1..n" => REFUTED[OG307] _Res == Sum(k in 1..n, A(k))
// mutate: "i >= 0" -> "i > 0" => REFUTED[OG307] _Res == Sum(k in 0..n, A(k))

float f(int n, int m, float a[n]) {
  __requires("A: int -> float, 0 <= m && m <= n");
  __reads("a ~> Matrix1(n, A)");
  __ensures("_Res == Sum(k in 0..n, A(k))");
  float s = 0.0f;
  for (int i = m; i < n; i++) { s += a[i]; }
  for (int i = m - 1; i >= 0; i--) { s += a[i]; }
  return s;
}
