// The cells that were filled are read back in a second loop.
// expect: VERIFIED
// also: annotated
// mutate: "j < c;" -> "j < n;" => REFUTED[OG304] b[j]
// mutate: "j < c;" -> "j <= c;" => REFUTED[OG302] b[j]
// mutate: "a[i] > 0) {\n      b[c] = a[i];" -> "a[i] > 0) {\n      if (a[i] > 1) b[c] = a[i];" => REFUTED[OG304] b[j]

float used(int n, float a[n]) {
  __requires("n > 0");
  __reads("a ~> Cells1(n)");
  float* const b = MALLOC1(float, n);
  int c = 0;
  for (int i = 0; i < n; i++) {
    if (a[i] > 0) {
      b[c] = a[i];
      c++;
    }
  }
  float s = 0;
  for (int j = 0; j < c; j++) s += b[j];
  free(b);
  return s;
}
