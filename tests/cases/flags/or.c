// A loop that accumulates || in a flag computes Any.
// expect: VERIFIED
// also: annotated
// mutate: "a[i] > 0" -> "a[i] >= 0" => REFUTED[OG307] _Res == Any(i in 0..n, A(i) > 0)
// mutate: "||" -> "&&" => REFUTED[OG307] _Res == Any(i in 0..n, A(i) > 0)
// mutate: "ok = false" -> "ok = true" => REFUTED[OG307] _Res == Any(i in 0..n, A(i) > 0)

bool check(int n, int a[n]) {
  __requires("A: int -> int");
  __reads("a ~> Matrix1(n, A)");
  __ensures("_Res == Any(i in 0..n, A(i) > 0)");
  bool ok = false;
  for (int i = 0; i < n; i++) ok = ok || a[i] > 0;
  return ok;
}
