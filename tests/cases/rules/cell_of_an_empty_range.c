// An empty or reversed range has no cell. (A hole of the published system.)
// expect: VERIFIED
// mutate: ", n >= 1" -> "" => REFUTED[OG302] a[0]
// mutate: "n >= 1" -> "n >= 0" => REFUTED[OG302] a[0]
// mutate: "n >= 1" -> "n <= 0" => REFUTED[OG302] a[0]

float f(int n, float a[n]) {
  __requires("A: int -> float, n >= 1");
  __reads("for i in 0..n -> &a[i] ~~> A(i)");
  __ensures("n < 1 || _Res == A(0)");
  const float x = a[0];
  return x;
}
