// Loop rule: an empty range leaves memory as it was.
// expect: VERIFIED
// mutate: "n >= 0" -> "n >= -1" => REFUTED[OG307] _Res == n
// mutate: "int c = 0" -> "int c = 1" => REFUTED[OG307] _Res == n
// mutate: "i < n" -> "i <= n" => REFUTED[OG307] _Res == n
// mutate: "c += 1" -> "c += i" => REFUTED[OG307] _Res == n

int f(int n) {
  __requires("n >= 0");
  __ensures("_Res == n");
  int c = 0;
  for (int i = 0; i < n; i++) { c += 1; }
  return c;
}
