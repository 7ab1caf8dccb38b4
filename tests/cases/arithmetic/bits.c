// Shifts and bitwise operators need operands that are not negative.
// expect: VERIFIED
// mutate: "k >= 0 && " -> "" => REFUTED[OG312] a >> k
// mutate: "a >= 0 && " -> "" => REFUTED[OG312] a & 31
// mutate: "_Res >= 0" -> "_Res > 0" => REFUTED[OG307] _Res > 0

int bits(int a, int k) {
  __requires("a >= 0 && k >= 0 && k < 8 && a < 1000000");
  __ensures("_Res >= 0");
  return (a & 31) + (a >> k);
}
