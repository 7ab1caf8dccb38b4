// The index after an empty loop is not its bound. (A hole of the published system.)
// expect: VERIFIED
// mutate: '__requires("n >= 0");\n' -> "" => REFUTED[OG307] _Res == n
// mutate: "int i = 0;" -> "int i = 1;" => REFUTED[OG307] _Res == n

int f(int n) {
  __requires("n >= 0");
  __ensures("_Res == n");
  int last = 0;
  for (int i = 0; i < n; i++) last = i + 1;
  return last;
}
