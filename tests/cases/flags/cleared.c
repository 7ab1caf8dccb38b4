// A flag that a condition clears computes All.
// expect: VERIFIED
// also: annotated
// mutate: "a[i] <= 0" -> "a[i] < 0" => REFUTED[OG307] _Res == All(i in 0..n, A(i) > 0)
// mutate: "ok = true" -> "ok = false" => REFUTED[OG307] _Res == All(i in 0..n, A(i) > 0)

bool check(int n, int a[n]) {
  __requires("A: int -> int");
  __reads("a ~> Matrix1(n, A)");
  __ensures("_Res == All(i in 0..n, A(i) > 0)");
  bool ok = true;
  for (int i = 0; i < n; i++) if (a[i] <= 0) ok = false;
  return ok;
}
