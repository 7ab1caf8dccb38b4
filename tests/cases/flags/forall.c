// The same, stated with a quantifier.
// expect: VERIFIED
// also: annotated
// mutate: "&&" -> "||" => REFUTED[OG307] _Res == (forall i in 0..n -> A(i) > 0
// mutate: "ok = true" -> "ok = false" => REFUTED[OG307] _Res == (forall i in 0..n -> A(i) > 0

bool check(int n, int a[n]) {
  __requires("A: int -> int");
  __reads("a ~> Matrix1(n, A)");
  __ensures("_Res == (forall i in 0..n -> A(i) > 0)");
  bool ok = true;
  for (int i = 0; i < n; i++) ok = ok && a[i] > 0;
  return ok;
}
