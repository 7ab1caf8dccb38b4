// A cast from float to integer truncates.
// expect: VERIFIED
// mutate: "(float)n)" -> "(float)n + 0.5f)" => REFUTED[OG307] _Res == n
// mutate: "_Res == n" -> "_Res == n + 1" => REFUTED[OG307] _Res == n + 1
// mutate: "(float)n)" -> "(float)n / 2.0f)" => REFUTED[OG307] _Res == n

int f(int n) {
  __ensures("_Res == n");
  return (int)((float)n);
}
