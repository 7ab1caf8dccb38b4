// The same from the end of the array towards its start.
// expect: VERIFIED
// also: annotated
// mutate: "return c;" -> "return 0;" => REFUTED[OG306] for j in _Res..n -> &b[j] ~> Cell
// mutate: "      c--;\n      b[c] = a[i];" -> "      b[c] = a[i];\n      c--;" => REFUTED[OG302] b[c] = a[i];

int from_the_end(int n, float a[n], float b[n]) {
  __reads("a ~> Cells1(n)");
  __consumes("b ~> UninitMatrix1(n)");
  __ensures("0 <= _Res && _Res <= n");
  __produces("for j in _Res..n -> &b[j] ~> Cell");
  __produces("for j in 0.._Res -> &b[j] ~> UninitCell");
  int c = n;
  for (int i = 0; i < n; i++) {
    if (a[i] > 0) {
      c--;
      b[c] = a[i];
    }
  }
  return c;
}
