// Bodies of a parallel loop do not see what other iterations write. (A hole of the published system.)
// expect: VERIFIED
// mutate: "a[i] - a[i - 1]" -> "a[i] - b[i - 1]" => REFUTED[OG324] for (int i = 0; i < n; i++)
// mutate: "b[i] = 0.0f" -> "b[n - 1 - i] = 0.0f" => REFUTED[OG324] b[i] = a[i] - a[i - 1];

void f(int n, float a[n], float b[n]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __writes("b ~> Matrix1(n, fun i -> i > 0 ? A(i) - A(i - 1) : 0)");
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (i > 0) { b[i] = a[i] - a[i - 1]; } else { b[i] = 0.0f; }
  }
}
