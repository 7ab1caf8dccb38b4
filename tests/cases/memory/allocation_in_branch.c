// A heap array that is allocated and freed in one branch.
// expect: VERIFIED
// mutate: "    free(t);\n" -> "" => REFUTED[OG320] float* const t = MALLOC1(float, n)
// mutate: "t[0] = 1.0f" -> "t[n] = 1.0f" => REFUTED[OG302] t[n] = 1.0f;
// mutate: "n > 5" -> "n > t" => REJECTED[OG100] t) {

void conditional_memory(int n, float a[n]) {
  __requires("size: n > 0");
  __writes("a ~> Matrix1(n, fun i -> 0)");
  if (n > 5) {
    float* const t = MALLOC1(float, n);
    t[0] = 1.0f;
    free(t);
  }
  for (int i = 0; i < n; i++) {
    a[i] = 0.0f;
  }
}
