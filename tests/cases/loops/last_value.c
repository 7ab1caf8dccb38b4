// A variable keeps the value of the last iteration if there is one.
// expect: VERIFIED
// mutate: "n > 0" -> "n >= 0" => REFUTED[OG307] _Res == n - 1
// mutate: "_Res == n - 1" -> "_Res == n" => REFUTED[OG307] _Res == n
// mutate: "i < n; i++" -> "i < n; i += 2" => REFUTED[OG307] _Res == n - 1
// mutate: "int x = -5" -> "int x" => VERIFIED

int last_value(int n) {
  __requires("n > 0");
  __ensures("_Res == n - 1");
  int x = -5;
  for (int i = 0; i < n; i++) {
    x = i;
  }
  return x;
}
