// The index of the last match lies within the array.
// expect: VERIFIED
// also: annotated, replay
// mutate: "r = i;" -> "r = i + 1;" => REFUTED[OG307] _Res < n
// mutate: "r = i;" -> "r = i - 2;" => REFUTED[OG307] -1 <= _Res
// mutate: "int r = -1" -> "int r = 0" => REFUTED[OG307] _Res < n

int last_match(int n, int x, int a[n]) {
  __requires("A: int -> int");
  __reads("a ~> Matrix1(n, A)");
  __ensures("-1 <= _Res");
  __ensures("_Res < n");
  int r = -1;
  for (int i = 0; i < n; i++) {
    if (a[i] == x) r = i;
  }
  return r;
}
