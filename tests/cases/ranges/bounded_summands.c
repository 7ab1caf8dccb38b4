// A sum of bounded summands is bounded by their number times the bound.
// expect: VERIFIED
// also: annotated
// mutate: "s += a[i];" -> "s += a[i] + 1;" => UNPROVED[OG307] 0 <= _Res && _Res <= 255 * n
// mutate: "s += a[i];" -> "s -= a[i];" => REFUTED[OG307] 0 <= _Res && _Res <= 255 * n

int bounded_summands(int n, int a[n]) {
  __requires("A: int -> int");
  __requires("forall i in 0..n -> A(i) >= 0, n <= 1000000");
  __requires("forall i in 0..n -> A(i) <= 255");
  __reads("a ~> Matrix1(n, A)");
  __ensures("0 <= _Res && _Res <= 255 * n");
  int s = 0;
  for (int i = 0; i < n; i++) s += a[i];
  return s;
}
