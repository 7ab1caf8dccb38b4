// The maximum of an array that is not empty.
// expect: VERIFIED
// mutate: "a[i] > m" -> "a[i] < m" => REFUTED[OG307] _Res == Max(i in 0..n, A(i))
// mutate: "float m = a[0]" -> "float m = 0.0f" => REFUTED[OG307] _Res == Max(i in 0..n, A(i))
// mutate: "Max(i in 0..n" -> "Max(i in 0..n - 1" => UNPROVED[OG361] 0..n - 1
// mutate: "i < n; i++" -> "i < n - 1; i++" => REFUTED[OG307] _Res == Max(i in 0..n, A(i))
// mutate: "Max(i in 0..n" -> "Max(i in 0..max(n - 1, 1)" => REFUTED[OG307] _Res == Max(i in 0..max(n - 1, 1), A(i))
// mutate: "some: n > 0" -> "some: n > 0, few: n < 1" => UNPROVED[OG360] few: n < 1

float maximum(int n, float a[n]) {
  __requires("A: int -> float, some: n > 0");
  __reads("a ~> Matrix1(n, A)");
  __ensures("_Res == Max(i in 0..n, A(i))");
  float m = a[0];
  for (int i = 1; i < n; i++) {
    if (a[i] > m) {
      m = a[i];
    }
  }
  return m;
}
