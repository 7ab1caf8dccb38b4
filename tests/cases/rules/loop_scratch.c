// Loop rule: scratch memory of an iteration holds nothing at the start of the next.
// expect: VERIFIED
// mutate: "n >= 1" -> "n >= 0" => REFUTED[OG307] _Res == (n < 1 ? 1 : A(n - 1)
// mutate: "A(n - 1)" -> "A(0)" => REFUTED[OG307] _Res == (n < 1 ? 1 : A(0)
// mutate: "t = a[i]" -> "t += a[i]" => REFUTED[OG307] _Res == (n < 1 ? 1 : A(n - 1)

float f(int n, float a[n]) {
  __requires("A: int -> float, n >= 1");
  __reads("a ~> Matrix1(n, A)");
  __ensures("_Res == (n < 1 ? 1 : A(n - 1))");
  float t = 0.0f;
  for (int i = 0; i < n; i++) { t = a[i]; }
  return t;
}
