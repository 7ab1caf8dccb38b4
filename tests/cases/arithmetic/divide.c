// Integer and float division: the divisor is not zero, and quotients truncate towards zero.
// expect: VERIFIED
// mutate: "b > 0 &&" -> "b >= 0 &&" => REFUTED[OG310] a / b
// mutate: '"b > 0 && a >= 0"' -> '"b > 0"' => REFUTED[OG307] _Res * b <= a && a < (_Res + 1) * b
// mutate: '__requires("a >= 0");\n  __ensures("0' -> '__requires("a >= -9");\n  __ensures("0'
//   => REFUTED[OG307] 0 <= _Res && _Res < 8
// mutate: '"n > 0"' -> '"n >= 0"' => REFUTED[OG310] s / n
// mutate: "_Res < 8" -> "_Res < 7" => REFUTED[OG307] 0 <= _Res && _Res < 7

int divide(int a, int b) {
  __requires("b > 0 && a >= 0");
  __ensures("_Res * b <= a && a < (_Res + 1) * b");
  return a / b;
}
int remainder_of(int a) {
  __requires("a >= 0");
  __ensures("0 <= _Res && _Res < 8");
  return a % 8;
}
float mean(int n, float s) {
  __requires("n > 0");
  __ensures("_Res * n == s");
  return s / n;
}
