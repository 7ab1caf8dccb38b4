// Values of reductions are proved, not trusted. (A hole of the published system.)
// expect: VERIFIED
// mutate: "s = 0.0f" -> "s = 1.0f" => REFUTED[OG307] _Res == Sum(i in 0..n, A(i))
// mutate: "s += a[i]" -> "s = a[i]" => REFUTED[OG307] _Res == Sum(i in 0..n, A(i))
// mutate: "i = 0;" -> "i = 1;" => REFUTED[OG307] _Res == Sum(i in 0..n, A(i))

float f(int n, float a[n]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __ensures("_Res == Sum(i in 0..n, A(i))");
  float s = 0.0f;
  for (int i = 0; i < n; i++) s += a[i];
  return s;
}
