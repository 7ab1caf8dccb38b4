// A constant, and a variable of its name in another block.
// expect: VERIFIED
// mutate: "return v;" -> "v = 6; return v;" => REJECTED[OG107] 4th v
// mutate: "    v = 2;" -> "    v = 2; w = 1;" => REJECTED[OG107] 2nd w

int f(int j) {
  __ensures("_Res == 5");
  const int w = 5;
  for (int i = 0; i < j; i++) {
    int v = 1;
    v = 2;
  }
  const int v = w;
  return v;
}
