// A cell that is increased twice in some iterations.
// expect: VERIFIED
// also: annotated
// mutate: "if (i == k)" -> "if (i <= k)" => REFUTED[OG324] a[i] += 1;
// mutate: "a[k] += 1" -> "a[k - 1] += 1" => REFUTED[OG324] a[i] += 1;
// mutate: "A(i) + 2" -> "A(i) + 1" => REFUTED[OG305] a ~> Matrix1(n, fun i -> i == k ? A(i) + 1 : A(i) + 1)

void added_twice(int n, int k, float a[n]) {
  __requires("A: int -> float");
  __consumes("a ~> Matrix1(n, A)");
  __produces("a ~> Matrix1(n, fun i -> i == k ? A(i) + 2 : A(i) + 1)");
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    a[i] += 1;
    if (i == k) a[k] += 1;
  }
}
