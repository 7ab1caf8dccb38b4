// Obligations of divisions, which truncate.
// expect: VERIFIED
// options: integers=unbounded
// mutate: "m != 0" -> "m > -1" => REFUTED[OG310] n / m
// mutate: "_Res * m >= n" -> "_Res * m <= n - 1" => REFUTED[OG307] n >= 0 || m <= 0 || _Res * m <= n - 1
// mutate: "n >= 0 || m <= 0 ||" -> "m <= 0 ||" => REFUTED[OG307] m <= 0 || _Res * m >= n
// mutate: "n / m" -> "(n - m + 1) / m" => REFUTED[OG307] n >= 0 || m <= 0 || _Res * m >= n

int f(int n, int m) {
  __requires("m != 0");
  __ensures("n >= 0 || m <= 0 || _Res * m >= n");
  __ensures("m == 0 || (n % m) + _Res * m == n");
  return n / m;
}
