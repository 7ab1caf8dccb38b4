// The index after a strided loop is not its bound. (A hole of the published system.)
// expect: VERIFIED
// mutate: " && n % 2 == 0" -> "" => REFUTED[OG307] _Res == n
// mutate: "i += 2" -> "i += 4" => REFUTED[OG307] _Res == n

int f(int n) {
  __requires("n >= 0 && n % 2 == 0");
  __ensures("_Res == n");
  int last = 0;
  for (int i = 0; i < n; i += 2) last = i + 2;
  return last;
}
