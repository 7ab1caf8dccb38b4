// The value of `x = e` is what x holds: a number that was converted to the type of x.
// expect: VERIFIED
// run: clean
// mutate: "a ~> Matrix1(n, fun i -> 44)" -> "a ~> Matrix1(n, fun i -> 300)" => REFUTED[OG305] a ~> Matrix1(n, fun i -> 300)
// mutate: "x = (uint8_t)300" -> "x = 300" => REJECTED[OG103] 300
// mutate: "uint8_t x" -> "int x" => VERIFIED

void f(int n, int a[n], int64_t b[n]) {
  __requires("n >= 0");
  __writes("a ~> Matrix1(n, fun i -> 44)");
  __writes("b ~> Matrix1(n, fun i -> 44)");
  uint8_t x = 0;
  for (int i = 0; i < n; i++) {
    b[i] = a[i] = x = (uint8_t)300;
  }
}
