// exact_div needs a proof of divisibility. (A hole of the published system.)
// expect: VERIFIED
// mutate: ", n % 4 == 0" -> "" => REFUTED[OG311] exact_div(n, 4)
// mutate: ", n % 4 == 0" -> ", n % 2 == 0" => REFUTED[OG311] exact_div(n, 4)

void f(int n, float a[n], float b[n]) {
  __requires("A: int -> float, n % 4 == 0");
  __reads("a ~> Matrix1(n, A)");
  __writes("b ~> Matrix1(n, A)");
  for (int t = 0; t < exact_div(n, 4); t++) for (int i = 0; i < 4; i++) b[4 * t + i] = a[4 * t + i];
}
