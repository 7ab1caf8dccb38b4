// Unrolling of loops whose index is multiplied or halved.
// expect: VERIFIED
// options: integers=unbounded
// mutate: "n + 15" -> "n + 16" => REFUTED[OG307] _Res == n + 16
// mutate: "s > 0" -> "s > 1" => REFUTED[OG307] _Res == n + 15
// mutate: "int s = 8" -> "int s = 9" => REFUTED[OG307] _Res == n + 15
// mutate: "s >>= 1" -> "s >>= 2" => REFUTED[OG307] _Res == n + 15

int f(int n) {
  __ensures("_Res == n + 15");
  int c = n;
  for (int s = 8; s > 0; s >>= 1) { c += s; }
  return c;
}
