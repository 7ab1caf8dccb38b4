// A ghost function is a lemma: proved once, used by name.
// expect: VERIFIED
// mutate: "(2 * n) % 2 == 0" -> "(2 * n) % 2 == 1" => UNPROVED[OG322] __ghost(double_is_even, "n")
// mutate: "(2 * n) % 2 == 0" -> "n % 2 == 0" => UNPROVED[OG322] __ghost(double_is_even, "n")

__GHOST(double_is_even) {
  __requires("n: int");
  __ensures("even: (2 * n) % 2 == 0");
}
int ghostly(int n) {
  __requires("n >= 0, n <= 1000");
  __ensures("_Res % 2 == 0");
  __ghost(double_is_even, "n");
  return 2 * n;
}
