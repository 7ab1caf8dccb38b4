// Lengths of runs: a counter that is reset.
// expect: VERIFIED
// also: annotated
// mutate: "run++;" -> "run += 2;" => REFUTED[OG302] h[run] = 1;
// mutate: "else run = 0;" -> "else run = -1;" => REFUTED[OG302] h[run] = 1;
// mutate: "best = run;" -> "best = run + 1;" => REFUTED[OG302] h[best] = 2;

void runs(int n, float a[n], int h[n + 1]) {
  __reads("a ~> Cells1(n)");
  __preserves("h ~> Cells1(n + 1)");
  int run = 0;
  int best = 0;
  for (int i = 0; i < n; i++) {
    if (a[i] > 0) run++;
    else run = 0;
    if (run > best) best = run;
    h[run] = 1;
  }
  h[best] = 2;
}
