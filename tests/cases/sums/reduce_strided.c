// A sum in four strided passes; the stride must divide the size.
// expect: VERIFIED
// mutate: ", d: n % 4 == 0" -> "" => REFUTED[OG311] exact_div(n, 4)
// mutate: "d: n % 4 == 0" -> "d: n % 2 == 0" => REFUTED[OG311] exact_div(n, 4)
// mutate: "4 * k + t" -> "3 * k + t" => REFUTED[OG307] _Res == Sum(i in 0..n, A(i))
// mutate: "t < 4" -> "t < 3" => REFUTED[OG307] _Res == Sum(i in 0..n, A(i))
// mutate: "4 * k + t" -> "4 * t + k" => REFUTED[OG302] a[4 * t + k]

float reduce_strided(int n, float a[n]) {
  __requires("A: int -> float, d: n % 4 == 0");
  __reads("a ~> Matrix1(n, A)");
  __ensures("_Res == Sum(i in 0..n, A(i))");
  float s = 0.0f;
  for (int t = 0; t < 4; t++) {
    for (int k = 0; k < exact_div(n, 4); k++) {
      s += a[4 * k + t];
    }
  }
  return s;
}
