// The two ends of a bisection stay in order and in the array.
// expect: VERIFIED
// also: annotated
// mutate: "lo < hi" -> "lo <= hi" => REFUTED[OG302] a[lo]
// mutate: "hi = n - 1" -> "hi = n" => REFUTED[OG302] a[lo]

float bisection(int n, float a[n], float x) {
  __requires("n > 0");
  __reads("a ~> Cells1(n)");
  int lo = 0;
  int hi = n - 1;
  for (int i = 0; i < 32; i++) {
    if (lo < hi) {
      const int mid = (lo + hi) / 2;
      if (a[mid] < x) lo = mid + 1;
      else hi = mid;
    }
  }
  return a[lo];
}
