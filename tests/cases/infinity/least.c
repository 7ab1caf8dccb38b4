// A minimum that starts at INFINITY is the least of the elements, if there are any; INFINITY is beyond numbers of the precondition, and
// of nothing else.
// expect: VERIFIED
// mutate: "some: n > 0" -> "some: n >= 0" => UNPROVED[OG361] 0..n
// mutate: "fminf(m, a[i])" -> "fmaxf(m, a[i])" => UNPROVED[OG307] _Res == Min(i in 0..n, A(i))
// mutate: "fminf(m, a[i])" -> "fminf(m, a[i] * a[i])", "A(i))" -> "A(i) * A(i))" => UNPROVED[OG307] _Res == Min(i in 0..n, A(i) * A(i))
// mutate: "_Res == Min(i in 0..n, A(i))" -> "_Res < INFINITY" => UNPROVED[OG307] _Res < INFINITY
// mutate: "some: n > 0" -> "some: n > 0 && A(0) > INFINITY" => UNPROVED[OG360] least
// mutate: "float m = INFINITY" -> "float m = INFINITY - INFINITY" => UNSUPPORTED[OG300] INFINITY - INFINITY

float least(int n, float a[n]) {
  __requires("A: int -> float, some: n > 0");
  __reads("a ~> Matrix1(n, A)");
  __ensures("_Res == Min(i in 0..n, A(i))");
  float m = INFINITY;
  for (int i = 0; i < n; i++) {
    m = fminf(m, a[i]);
  }
  return m;
}
