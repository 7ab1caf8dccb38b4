// An iteration writes its cell twice, the second time under an equation that renames the index.
// expect: VERIFIED
// also: annotated
// mutate: "if (i == 5)" -> "if (i == 4)" => REFUTED[OG305] a ~> Matrix1(n, fun i -> i == 5 ? B(6) : 0)
// mutate: "= b[6]" -> "= b[7]" => REFUTED[OG302] b[7];
// mutate: "a[i] = b[6]" -> "a[5] = b[5]" => REFUTED[OG305] a ~> Matrix1(n, fun i -> i == 5 ? B(6) : 0)
// mutate: "a[i] = 0;" -> "if (i != 4) a[i] = 0;" => REFUTED[OG302] a[i] = 0;

void one_cell(int n, float a[n], float b[7]) {
  __requires("B: int -> float");
  __reads("b ~> Matrix1(7, B)");
  __writes("a ~> Matrix1(n, fun i -> i == 5 ? B(6) : 0)");
  for (int i = 0; i < n; i++) {
    a[i] = 0;
    if (i == 5) a[i] = b[6];
  }
}
