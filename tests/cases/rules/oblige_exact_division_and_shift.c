// Obligations of exact divisions and of shifts.
// expect: VERIFIED
// options: integers=unbounded
// mutate: "n % 4 == 0" -> "n % 2 == 0" => REFUTED[OG311] exact_div(n, 4)
// mutate: "k >= 0 &&" -> "" => REFUTED[OG312] 1 << k);
// mutate: "4 * _Res == n" -> "_Res == n" => REFUTED[OG307] k < 0 || _Res == n + 4 * (1 << k

int f(int n, int k) {
  __requires("n % 4 == 0 && k >= 0 && k < 8");
  __ensures("k < 0 || 4 * _Res == n + 4 * (1 << k)");
  return exact_div(n, 4) + (1 << k);
}
