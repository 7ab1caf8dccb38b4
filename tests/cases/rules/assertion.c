// Rule assertion: an assertion follows from what is known where it stands.
// expect: VERIFIED
// options: integers=unbounded
// mutate: "2 * n > 5" -> "2 * n > 6" => REFUTED[OG321] 2 * n > 6
// mutate: "_Res > 4" -> "_Res > 6" => REFUTED[OG307] _Res > 6
// mutate: "n > 2" -> "n > 1" => REFUTED[OG321] 2 * n > 5

int f(int n) {
  __requires("n > 2");
  __ensures("_Res > 4");
  __ASSERT("2 * n > 5");
  return 2 * n;
}
