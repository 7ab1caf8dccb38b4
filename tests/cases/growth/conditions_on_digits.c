// The last of many conditions on digits that holds decides the value.
// expect: VERIFIED
// mutate: "if (x4 % 3 == 1)" -> "if (x4 % 3 == 2)" => REFUTED[OG305] c ~> Matrix1
// mutate: "x6 = x5 / 3" -> "x6 = x5 / 9" => UNPROVED[OG305] c ~> Matrix1

void f(int n, int c[n]) {
  __writes("c ~> Matrix1(n, fun i -> (i / 2187 % 3 == 1 ? 8 : (i / 729 % 3 == 1 ? 7 : (i / 243 % 3 == 1 ? 6 : (i / 81 % 3 == 1 ? 5 : (i / 27 % 3 == 1 ? 4 : (i / 9 % 3 == 1 ? 3 : (i / 3 % 3 == 1 ? 2 : (i / 1 % 3 == 1 ? 1 : 0)))))))))");
  for (int i = 0; i < n; i++) {
    int x0 = i;
    int s = 0;
    int x1 = x0 / 3;
    if (x0 % 3 == 1) s = 1;
    int x2 = x1 / 3;
    if (x1 % 3 == 1) s = 2;
    int x3 = x2 / 3;
    if (x2 % 3 == 1) s = 3;
    int x4 = x3 / 3;
    if (x3 % 3 == 1) s = 4;
    int x5 = x4 / 3;
    if (x4 % 3 == 1) s = 5;
    int x6 = x5 / 3;
    if (x5 % 3 == 1) s = 6;
    int x7 = x6 / 3;
    if (x6 % 3 == 1) s = 7;
    int x8 = x7 / 3;
    if (x7 % 3 == 1) s = 8;
    c[i] = s;
  }
}
