// A loop unrolled four times, with a loop for the remaining elements.
// expect: VERIFIED
// mutate: "c[4 * b + 2] = 2.0f * a[4 * b + 2]" -> "c[4 * b + 2] = 2.0f * a[4 * b + 1]"
//   => REFUTED[OG305] c ~> Matrix1(n, fun i -> 2 * A(i))
// mutate: "c[4 * b + 2] = 2.0f * a[4 * b + 2]" -> "c[4 * b + 1] = 2.0f * a[4 * b + 1]"
//   => REFUTED[OG306] c ~> Matrix1(n, fun i -> 2 * A(i))
// mutate: "4 * b + 3 < n" -> "4 * b + 2 < n" => REFUTED[OG302] c[4 * b] = 2.0f * a[4 * b];
// mutate: "(n + 3) / 4" -> "n / 4" => REFUTED[OG306] c ~> Matrix1(n, fun i -> 2 * A(i))
// mutate: "int i = 4 * b;" -> "int i = 4 * b + 1;" => REFUTED[OG306] c ~> Matrix1(n, fun i -> 2 * A(i))

void scaled(int n, float a[n], float c[n]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __writes("c ~> Matrix1(n, fun i -> 2 * A(i))");
  for (int b = 0; b < (n + 3) / 4; b++) {
    if (4 * b + 3 < n) {
      c[4 * b] = 2.0f * a[4 * b];
      c[4 * b + 1] = 2.0f * a[4 * b + 1];
      c[4 * b + 2] = 2.0f * a[4 * b + 2];
      c[4 * b + 3] = 2.0f * a[4 * b + 3];
    } else {
      for (int i = 4 * b; i < n; i++) {
        c[i] = 2.0f * a[i];
      }
    }
  }
}
