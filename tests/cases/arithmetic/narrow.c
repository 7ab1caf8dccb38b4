// A value stored in a narrow integer type fits that type.
// expect: VERIFIED
// mutate: "n <= 100" -> "n <= 1000" => REFUTED[OG313] i;
// mutate: "a[i] = i;" -> "a[i] = -i;" => REFUTED[OG305] a ~> Matrix1(n, fun i -> i)

void narrow(int n, int8_t a[n]) {
  __requires("n <= 100");
  __writes("a ~> Matrix1(n, fun i -> i)");
  for (int i = 0; i < n; i++) {
    a[i] = i;
  }
}
