// A counter that grows at most by one in each iteration is at most the number of iterations.
// expect: VERIFIED
// also: annotated, replay
// mutate: "c++;" -> "c += 2;" => REFUTED[OG302] b[c] = a[i];
// mutate: "c++;" -> "c--;" => REFUTED[OG302] b[c] = a[i];
// mutate: "int c = 0" -> "int c = 1" => REFUTED[OG302] b[c] = a[i];
// mutate: "_Res <= n" -> "_Res < n" => REFUTED[OG307] 0 <= _Res && _Res < n

int compaction(int n, float a[n], float b[n]) {
  __reads("a ~> Cells1(n)");
  __preserves("b ~> Cells1(n)");
  __ensures("0 <= _Res && _Res <= n");
  int c = 0;
  for (int i = 0; i < n; i++) {
    if (a[i] > 0) {
      b[c] = a[i];
      c++;
    }
  }
  return c;
}
