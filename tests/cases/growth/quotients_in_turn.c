// Quotients and remainders in turn, each of the one before.
// expect: VERIFIED
// mutate: "x2 / 4" -> "x2 / 2" => REFUTED[OG305] c ~> Matrix1
// mutate: "x3 % 997" -> "x3 % 99" => REFUTED[OG305] c ~> Matrix1

void f(int n, int c[n]) {
  __writes("c ~> Matrix1(n, fun i -> ((((((((((((i / 2) % 999) / 4) % 997) / 3) % 995) / 2) % 993) / 4) % 991) / 3) % 989))");
  for (int i = 0; i < n; i++) {
    int x0 = i;
    int x1 = x0 / 2;
    int x2 = x1 % 999;
    int x3 = x2 / 4;
    int x4 = x3 % 997;
    int x5 = x4 / 3;
    int x6 = x5 % 995;
    int x7 = x6 / 2;
    int x8 = x7 % 993;
    int x9 = x8 / 4;
    int x10 = x9 % 991;
    int x11 = x10 / 3;
    int x12 = x11 % 989;
    c[i] = x12;
  }
}
