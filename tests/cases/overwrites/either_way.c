// The equation may have the index on either side.
// expect: VERIFIED
// also: annotated
// mutate: "else a[i] = 0" -> "else a[i] = 1" => REFUTED[OG305] a ~> Matrix1(n, fun i -> i == 5 ? B(6) : 0)

void either_way(int n, float a[n], float b[7]) {
  __requires("B: int -> float");
  __reads("b ~> Matrix1(7, B)");
  __writes("a ~> Matrix1(n, fun i -> i == 5 ? B(6) : 0)");
  for (int i = 0; i < n; i++) {
    if (i == 5) a[i] = b[6];
    else a[i] = 0;
  }
}
