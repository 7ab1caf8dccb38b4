// A position that wraps around stays in a ring buffer.
// expect: VERIFIED
// also: annotated
// mutate: "% 16;" -> "% 17;" => UNPROVED[OG302] a[k];
// mutate: "int k = 0" -> "int k = 16" => REFUTED[OG302] a[k];

float ring(int n, float a[16]) {
  __reads("a ~> Cells1(16)");
  int k = 0;
  float s = 0;
  for (int i = 0; i < n; i++) {
    s += a[k];
    if (a[k] > 0) k = (k + 1) % 16;
  }
  return s;
}
