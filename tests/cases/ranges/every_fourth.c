// A counter in a loop with a step of four.
// expect: VERIFIED
// also: annotated
// mutate: "r = i;" -> "r = i + 3;" => REFUTED[OG307] 0 <= _Res && _Res < n

int every_fourth(int n, float a[n]) {
  __requires("n > 0");
  __reads("a ~> Cells1(n)");
  __ensures("0 <= _Res && _Res < n");
  int r = 0;
  for (int i = 0; i < n; i += 4) {
    if (a[i] > 0) r = i;
  }
  return r;
}
