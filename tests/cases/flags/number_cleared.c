// An integer flag that a condition clears.
// expect: VERIFIED
// also: annotated
// mutate: "ok = 0" -> "ok = 2" => REFUTED[OG307] _Res == (All(i in 0..n, A(i) > 0) ? 1 : 0
// mutate: "int ok = 1" -> "int ok = 0" => REFUTED[OG307] _Res == (All(i in 0..n, A(i) > 0) ? 1 : 0

int check(int n, int a[n]) {
  __requires("A: int -> int");
  __reads("a ~> Matrix1(n, A)");
  __ensures("_Res == (All(i in 0..n, A(i) > 0) ? 1 : 0)");
  int ok = 1;
  for (int i = 0; i < n; i++) if (a[i] <= 0) ok = 0;
  return ok;
}
