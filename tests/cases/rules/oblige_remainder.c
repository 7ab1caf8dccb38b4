// A remainder has the sign of the dividend.
// expect: VERIFIED
// mutate: "_Res <= 0" -> "_Res >= 0" => REFUTED[OG307] _Res >= 0 && _Res > -4
// mutate: "_Res > -4" -> "_Res > -3" => REFUTED[OG307] _Res <= 0 && _Res > -3
// mutate: "n <= 0" -> "n <= 1" => REFUTED[OG307] _Res <= 0 && _Res > -4

int f(int n) {
  __requires("n <= 0");
  __ensures("_Res <= 0 && _Res > -4");
  return n % 4;
}
