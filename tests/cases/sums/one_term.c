// A sum with an equation for its index in the guard has one summand, or none.
// expect: VERIFIED
// mutate: "k == i ? A(k)" -> "k == i + 1 ? A(k)" => REFUTED[OG305] &x[i] ~~> Sum(k in 0..n, k == i + 1 ? A(k) : 0)
// mutate: "Sum(k in 0..n" -> "Sum(k in 0..n - 1" => REFUTED[OG305] &x[i] ~~> Sum(k in 0..n - 1, k == i ? A(k) : 0)
// mutate: "x[i] = a[i]" -> "x[i] = 2.0f * a[i]" => REFUTED[OG305] &x[i] ~~> Sum(k in 0..n, k == i ? A(k) : 0)

void one_term(int n, int i, float a[n], float x[n]) {
  __requires("A: int -> float");
  __requires("0 <= i && i < n");
  __reads("a ~> Matrix1(n, A)");
  __writes("&x[i] ~~> Sum(k in 0..n, k == i ? A(k) : 0)");
  x[i] = a[i];
}
