// A counter in a loop that counts down.
// expect: VERIFIED
// also: annotated
// mutate: "r = i;" -> "r = i - 1;" => REFUTED[OG307] 0 <= _Res && _Res <= n

int downwards(int n, float a[n]) {
  __requires("n > 0");
  __reads("a ~> Cells1(n)");
  __ensures("0 <= _Res && _Res <= n");
  int r = n;
  for (int i = n - 1; i >= 0; i--) {
    if (a[i] > 0) r = i;
  }
  return r;
}
