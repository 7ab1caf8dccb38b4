// A local array of the body is private to each iteration of a parallel loop.
// expect: VERIFIED
// mutate: "    float t[4];\n" -> "" => REJECTED[OG100] t[0] = 1.0f;
// mutate: "t[1] = 2.0f" -> "t[2] = 2.0f" => REFUTED[OG304] t[1]
// mutate: "t[1] = 2.0f" -> "t[4] = 2.0f" => REFUTED[OG302] t[4] = 2.0f;

void private_scratch(int n, float a[n]) {
  __writes("a ~> Matrix1(n, fun i -> 3)");
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    float t[4];
    t[0] = 1.0f;
    t[1] = 2.0f;
    a[i] = t[0] + t[1];
  }
}
