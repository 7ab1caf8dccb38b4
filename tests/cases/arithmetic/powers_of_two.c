// Shifts by numbers that are not known: halves, products and quotients of powers of two, where the exponents are not negative.
// expect: VERIFIED
// run: clean
// mutate: "2 <= e && e <= 20" -> "1 <= e && e <= 20" => UNPROVED[OG361] 2 << (e - 2)
// mutate: "0 <= f && f <= e" -> "0 <= f && f <= 20" => UNPROVED[OG361] 1 << (e - f), (1
// mutate: "_Res == 1 << (e - 1)" -> "_Res == 1 << e" => REFUTED[OG307] _Res == 1 << e, _Res == 2
// mutate: "1 << f <= 1 << e" -> "1 << f < 1 << e" => REFUTED[OG307] 1 << f < 1 << e

int halved(int e, int f) {
  __requires("2 <= e && e <= 20, 0 <= f && f <= e");
  __ensures("2 * _Res == 1 << e, _Res == 1 << (e - 1), _Res == 2 << (e - 2)");
  __ensures("(1 << e) >> f == 1 << (e - f), (1 << f) * (1 << (e - f)) == 1 << e, (1 << f) << (e - f) == 1 << e");
  __ensures("1 << f <= 1 << e");
  return (1 << e) / 2;
}
