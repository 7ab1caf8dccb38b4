// Iterations of a parallel loop access only their own cells.
// expect: VERIFIED
// mutate: "a[i] += x" -> "a[0] += x" => REFUTED[OG324] a[0] += x;
// mutate: "a[i] += x" -> "a[i / 2] += x" => REFUTED[OG324] a[i / 2] += x;
// mutate: "a[i] += x" -> "a[i] = a[i] + a[(i + 1) % n]" => REFUTED[OG324] a[i] = a[i] + a[(i + 1) % n];
// mutate: "a[i] += x" -> "if (i > 0) a[i] += a[i - 1]" => REFUTED[OG324] a[i] += a[i - 1];
// mutate: "float x = b[i]" -> "float x = b[i + 1]" => REFUTED[OG302] b[i + 1]
// mutate: "A(i) + B(i)" -> "A(i) - B(i)" => REFUTED[OG305] a ~> Matrix1(n, fun i -> A(i) - B(i))

void parallel(int n, float a[n], float b[n]) {
  __requires("A: int -> float, B: int -> float");
  __consumes("a ~> Matrix1(n, A)");
  __produces("a ~> Matrix1(n, fun i -> A(i) + B(i))");
  __reads("b ~> Matrix1(n, B)");
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    float x = b[i];
    a[i] += x;
  }
}
