// Elements that satisfy a condition are written one after the other; the count says how many cells are written.
// expect: VERIFIED
// also: annotated, replay
// mutate: "c++;" -> "c += 2;" => REFUTED[OG302] b[c] = a[i];
// mutate: "return c;" -> "return n;" => REFUTED[OG306] for j in 0.._Res -> &b[j] ~> Cell
// mutate: "      c++;\n    }" -> "    }\n    c++;" => REFUTED[OG302] for (int i = 0; i < n; i++)
// mutate: "0.._Res ->" -> "0..n ->" => REFUTED[OG306] for j in 0..n -> &b[j] ~> Cell

int filled(int n, float a[n], float b[n]) {
  __reads("a ~> Cells1(n)");
  __consumes("b ~> UninitMatrix1(n)");
  __ensures("0 <= _Res && _Res <= n");
  __produces("for j in 0.._Res -> &b[j] ~> Cell");
  __produces("for j in _Res..n -> &b[j] ~> UninitCell");
  int c = 0;
  for (int i = 0; i < n; i++) {
    if (a[i] > 0) {
      b[c] = a[i];
      c++;
    }
  }
  return c;
}
