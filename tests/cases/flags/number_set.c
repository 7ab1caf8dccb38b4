// An integer that a condition sets to a constant.
// expect: VERIFIED
// also: annotated
// mutate: "ok = 7" -> "ok = i" => REFUTED[OG307] _Res == (Any(i in 0..n, A(i) > 0) ? 7 : 0
// mutate: "int ok = 0" -> "int ok = 1" => REFUTED[OG307] _Res == (Any(i in 0..n, A(i) > 0) ? 7 : 0

int check(int n, int a[n]) {
  __requires("A: int -> int");
  __reads("a ~> Matrix1(n, A)");
  __ensures("_Res == (Any(i in 0..n, A(i) > 0) ? 7 : 0)");
  int ok = 0;
  for (int i = 0; i < n; i++) if (a[i] > 0) ok = 7;
  return ok;
}
