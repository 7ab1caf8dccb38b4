// A loop with a symbolic step, which must be positive.
// expect: VERIFIED
// mutate: "k > 0" -> "k >= 0" => REFUTED[OG325] for (int i = 0; i < n; i += k)
// mutate: "_Res >= 0" -> "_Res > 0" => REFUTED[OG307] _Res > 0

int steps(int n, int k) {
  __requires("n >= 0 && k > 0");
  __ensures("_Res >= 0");
  int x = 0;
  for (int i = 0; i < n; i += k) {
    x += 1;
  }
  return x;
}
