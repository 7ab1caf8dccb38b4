// Values of x++ and --x are not used. (A hole of the published system.)
// expect: VERIFIED
// options: integers=unbounded
// mutate: "x++;\n  return x" -> "return x++" => REJECTED[OG010] ++
// mutate: "x++;\n  return x" -> "const int y = x++;\n  return y" => REJECTED[OG010] ++
// mutate: "x++" -> "x--" => REFUTED[OG307] _Res == n + 1
// mutate: "x++" -> "--x" => REFUTED[OG307] _Res == n + 1

int f(int n) {
  __requires("n >= 0");
  __ensures("_Res == n + 1");
  int x = n;
  x++;
  return x;
}
