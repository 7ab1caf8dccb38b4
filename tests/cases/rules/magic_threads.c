// Iterations of a magic thread loop are independent.
// expect: VERIFIED
// mutate: "b[i] = a[i]" -> "b[0] = a[i]" => REFUTED[OG324] b[0] = a[i];
// mutate: "b[i] = a[i]" -> "b[i] = a[i]; if (i > 0) { b[i] = b[i - 1]; }"
//   => REFUTED[OG324] magic thread for (int i = 0; i < n; i++)
// mutate: "i < n" -> "i <= n" => REFUTED[OG302] b[i] = a[i];

void f(int n, float a[n], float b[n]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __writes("b ~> Matrix1(n, A)");
  magic thread for (int i = 0; i < n; i++) { b[i] = a[i]; }
}
