// Laws of maxima: a maximum has at least one term.
// expect: VERIFIED
// mutate: "float s = a[0]" -> "float s = 0.0f" => REFUTED[OG307] _Res == Max(k in 0..n, A(k))
// mutate: "int i = 1" -> "int i = 2" => REFUTED[OG307] _Res == Max(k in 0..n, A(k))
// mutate: "Max(k in 0..n" -> "Max(k in 0..n + 1" => UNPROVED[OG361] A(k)
// mutate: "fmaxf" -> "fminf" => REFUTED[OG307] _Res == Max(k in 0..n, A(k))

float f(int n, float a[n]) {
  __requires("A: int -> float, n > 0");
  __reads("a ~> Matrix1(n, A)");
  __ensures("_Res == Max(k in 0..n, A(k))");
  float s = a[0];
  for (int i = 1; i < n; i++) { s = fmaxf(s, a[i]); }
  return s;
}
