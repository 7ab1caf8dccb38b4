// A loop that counts down.
// expect: VERIFIED
// mutate: "i > 0" -> "i >= 0" => REFUTED[OG307] _Res == n
// mutate: "n >= 0" -> "n >= -3" => REFUTED[OG307] _Res == n
// mutate: "i -= 1" -> "i -= 3" => REFUTED[OG307] _Res == n

int down(int n) {
  __requires("n >= 0");
  __ensures("_Res == n");
  int x = 0;
  for (int i = n; i > 0; i -= 1) {
    x += 1;
  }
  return x;
}
