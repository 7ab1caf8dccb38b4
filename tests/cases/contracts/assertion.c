// An assertion holds where it stands.
// expect: VERIFIED
// mutate: "x >= n" -> "x > n * n" => REFUTED[OG321] x > n * n
// mutate: "x = x * n" -> "x = x + n - 3" => REFUTED[OG321] x >= n

int asserted(int n) {
  __requires("n >= 2, n <= 1000");
  __ensures("_Res >= 1");
  int x = n;
  x = x * n;
  __ASSERT("x >= n");
  return x - n + 1;
}
