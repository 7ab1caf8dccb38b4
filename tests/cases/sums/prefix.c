// Prefix sums by a recurrence.
// expect: VERIFIED
// mutate: "out[i - 1] + a[i]" -> "out[i - 1] + a[i - 1]"
//   => REFUTED[OG305] out ~> Matrix1(n, fun i -> Sum(j in 0..i + 1, A(j)))
// mutate: "out[i - 1] + a[i]" -> "out[i] + a[i]" => REFUTED[OG304] out[i] + a[i];
// mutate: "Sum(j in 0..i + 1" -> "Sum(j in 0..i" => REFUTED[OG305] out ~> Matrix1(n, fun i -> Sum(j in 0..i, A(j)))
// mutate: "  for" -> "  #pragma omp parallel for\n  for" => REFUTED[OG324] out[i] = out[i - 1] + a[i];
// mutate: "out[0] = a[0]" -> "out[0] = 0.0f" => REFUTED[OG305] out ~> Matrix1(n, fun i -> Sum(j in 0..i + 1, A(j)))

void prefix(int n, float a[n], float out[n]) {
  __requires("A: int -> float, some: n > 0");
  __reads("a ~> Matrix1(n, A)");
  __writes("out ~> Matrix1(n, fun i -> Sum(j in 0..i + 1, A(j)))");
  out[0] = a[0];
  for (int i = 1; i < n; i++) {
    out[i] = out[i - 1] + a[i];
  }
}
