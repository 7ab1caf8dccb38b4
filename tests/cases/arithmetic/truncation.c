// Division of a negative number truncates; a shift of one is rejected.
// expect: VERIFIED
// mutate: "(n < 0 ? 0 - (0 - n) / 2 : n / 2)" -> "(n < 0 ? (n - 1) / 2 : n / 2)"
//   => REFUTED[OG307] _Res == (n < 0 ? (n - 1) / 2 : n / 2
// mutate: "return n / 2" -> "return n >> 1" => REFUTED[OG312] n >> 1

int truncation(int n) {
  __requires("n >= -10 && n <= 10");
  __ensures("_Res == (n < 0 ? 0 - (0 - n) / 2 : n / 2)");
  return n / 2;
}
