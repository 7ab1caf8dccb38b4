// A function that mentions INFINITY is called with numbers that are not beyond it: those of the caller's precondition, or INFINITY itself.
// expect: VERIFIED
// mutate: "t[i] = a[i];" -> "t[i] = 2.0f * a[i];", "A(i))" -> "2 * A(i))" => UNPROVED[OG315] least(n, t)
// mutate: "t[i] = a[i];" -> "t[i] = INFINITY;" => UNPROVED[OG307] _Res == Min(i in 0..n, A(i))

float least(int n, float a[n]) {
  __requires("B: int -> float, some: n > 0");
  __reads("a ~> Matrix1(n, B)");
  __ensures("_Res == Min(i in 0..n, B(i))");
  float m = INFINITY;
  for (int i = 0; i < n; i++) {
    m = fminf(m, a[i]);
  }
  return m;
}

float caller(int n, float a[n]) {
  __requires("A: int -> float, some: n > 0");
  __reads("a ~> Matrix1(n, A)");
  __ensures("_Res == Min(i in 0..n, A(i))");
  float* const t = MALLOC1(float, n);
  for (int i = 0; i < n; i++) {
    t[i] = a[i];
  }
  const float m = least(n, t);
  free(t);
  return m;
}
