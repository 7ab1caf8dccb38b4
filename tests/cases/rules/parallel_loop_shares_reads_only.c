// Parallel loop rule: iterations share nothing but what they read.
// expect: VERIFIED
// mutate: "b[i] = t" -> "b[i] = t; b[0] = a[n - 1]" => REFUTED[OG324] b[i] = t;
// mutate: "float t = a[n - 1 - i]; b[i] = t;" -> "b[i] = a[n - 1 - i]; if (i > 0) { b[i] = b[i] + b[i - 1] - b[i - 1]; }"
//   => REFUTED[OG324] b[i] = b[i] + b[i - 1] - b[i - 1];
// mutate: "b[i] = t" -> "b[n - 1 - i] = t" => REFUTED[OG305] b ~> Matrix1(n, fun i -> A(n - 1 - i))

void f(int n, float a[n], float b[n]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __writes("b ~> Matrix1(n, fun i -> A(n - 1 - i))");
  #pragma omp parallel for
  for (int i = 0; i < n; i++) { float t = a[n - 1 - i]; b[i] = t; }
}
