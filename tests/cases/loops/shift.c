// An array copied one cell further, with its first cell written before the loop.
// expect: VERIFIED
// mutate: ", size: n > 0" -> "" => REFUTED[OG302] b[0] = 0.0f;
// mutate: "a[i - 1]" -> "a[i]" => REFUTED[OG305] b ~> Matrix1(n, fun i -> i == 0 ? 0 : A(i - 1))
// mutate: "a[i - 1]" -> "a[i + 1]" => REFUTED[OG302] a[i + 1]
// mutate: "A(i - 1)" -> "A(i)" => REFUTED[OG305] b ~> Matrix1(n, fun i -> i == 0 ? 0 : A(i))
// mutate: "b[0] = 0.0f;\n" -> ";\n" => REFUTED[OG306] b ~> Matrix1(n, fun i -> i == 0 ? 0 : A(i - 1))
// mutate: "i == 0 ? 0" -> "i == 0 ? 1" => REFUTED[OG305] b ~> Matrix1(n, fun i -> i == 0 ? 1 : A(i - 1))
// mutate: "b[i] = a[i - 1]" -> "b[i] = b[i - 1]" => REFUTED[OG305] b ~> Matrix1(n, fun i -> i == 0 ? 0 : A(i - 1))

void shift(int n, float a[n], float b[n]) {
  __requires("A: int -> float, size: n > 0");
  __reads("a ~> Matrix1(n, A)");
  __writes("b ~> Matrix1(n, fun i -> i == 0 ? 0 : A(i - 1))");
  b[0] = 0.0f;
  for (int i = 1; i < n; i++) {
    b[i] = a[i - 1];
  }
}
