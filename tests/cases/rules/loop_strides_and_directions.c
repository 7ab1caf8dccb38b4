// Loop rule: strides and directions.
// expect: VERIFIED
// mutate: "i >= 0; i -= 2) { a[i] = i % 2; }\n  for" -> "i > 0; i -= 2) { a[i] = i % 2; }\n  for"
//   => REFUTED[OG306] a ~> Matrix1(n, fun i -> i % 2)
// mutate: "n - 2; i" -> "n - 3; i" => REFUTED[OG306] a ~> Matrix1(n, fun i -> i % 2)
// mutate: "n - 1; i" -> "n; i" => REFUTED[OG302] 1st a[i] = i % 2; }

void f(int n, float a[n]) {
  __requires("n >= 0");
  __writes("a ~> Matrix1(n, fun i -> i % 2)");
  for (int i = n - 1; i >= 0; i -= 2) { a[i] = i % 2; }
  for (int i = n - 2; i >= 0; i -= 2) { a[i] = i % 2; }
}
