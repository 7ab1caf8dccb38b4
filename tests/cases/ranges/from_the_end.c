// A counter that goes down from the size stays at or above zero.
// expect: VERIFIED
// also: annotated
// mutate: "c--;" -> "c -= 2;" => REFUTED[OG302] b[c] = a[i];
// mutate: "int c = n" -> "int c = n + 1" => REFUTED[OG302] b[c] = a[i];

int from_the_end(int n, float a[n], float b[n]) {
  __reads("a ~> Cells1(n)");
  __preserves("b ~> Cells1(n)");
  int c = n;
  for (int i = 0; i < n; i++) {
    if (a[i] > 0) {
      c--;
      b[c] = a[i];
    }
  }
  return c;
}
