// A loop over an empty range runs zero times, also if the bound is below the start.
// expect: VERIFIED
// mutate: "n >= 0 && m >= 0" -> "m >= 0" => REFUTED[OG307] _Res == n
// mutate: "i++" -> "i += 2" => REFUTED[OG307] _Res == n
// mutate: "_Res == n" -> "_Res == m" => REFUTED[OG307] _Res == m
// mutate: "x += 1" -> "x = i" => REFUTED[OG307] _Res == n

int empty_ranges(int n, int m) {
  __requires("n >= 0 && m >= 0");
  __ensures("_Res == n");
  int x = 0;
  for (int i = 0; i < n; i++) {
    x += 1;
  }
  return x;
}
