// A loop that writes every cell of an array once.
// expect: VERIFIED
// mutate: "i < n" -> "i <= n" => REFUTED[OG302] a[i] = 1.0f;
// mutate: "int i = 0" -> "int i = -1" => REFUTED[OG302] a[i] = 1.0f;
// mutate: "int i = 0" -> "int i = 1" => REFUTED[OG306] a ~> Matrix1(n, fun i -> 1)
// mutate: "i < n" -> "i < n - 1" => REFUTED[OG306] a ~> Matrix1(n, fun i -> 1)
// mutate: "a[i] = 1.0f" -> "a[i + 1] = 1.0f" => REFUTED[OG302] a[i + 1] = 1.0f;
// mutate: "a[i] = 1.0f" -> "a[0] = 1.0f" => REFUTED[OG306] a ~> Matrix1(n, fun i -> 1)
// mutate: "a[i] = 1.0f" -> "a[i] = 2.0f" => REFUTED[OG305] a ~> Matrix1(n, fun i -> 1)
// mutate: "a[i] = 1.0f" -> "a[i] += 1.0f" => REFUTED[OG304] a[i]
// mutate: "fun i -> 1" -> "fun i -> i" => REFUTED[OG305] a ~> Matrix1(n, fun i -> i)
// mutate: "Matrix1(n, " -> "Matrix1(n + 1, " => UNPROVED[OG332] a ~> Matrix1(n + 1, fun i -> 1)
// mutate: "__writes" -> "__reads" => REFUTED[OG303] a[i] = 1.0f;
// mutate: "i++" -> "i += 2" => REFUTED[OG306] a ~> Matrix1(n, fun i -> 1)

void fill(int n, float a[n]) {
  __writes("a ~> Matrix1(n, fun i -> 1)");
  for (int i = 0; i < n; i++) {
    a[i] = 1.0f;
  }
}
