// A scratch cell outside the loop is fine for a sequential loop, and a race in a parallel one.
// expect: VERIFIED
// mutate: "  for" -> "  #pragma omp parallel for\n  for" => REFUTED[OG324] t[0] = i;

void shared_scratch(int n, float a[n]) {
  __writes("a ~> Matrix1(n, fun i -> i)");
  float t[1];
  for (int i = 0; i < n; i++) {
    t[0] = i;
    a[i] = t[0];
  }
}
