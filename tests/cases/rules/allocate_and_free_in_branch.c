// Rules allocate and free under conditions.
// expect: VERIFIED
// mutate: "free(q); }" -> "}" => REFUTED[OG320] float* const q = MALLOC1(float, m)
// mutate: "  free(p);" -> "  if (m > 0) { free(p); }" => REFUTED[OG320] float* const p = MALLOC1(float, n)
// mutate: "  free(p);" -> "  if (n > 0) { free(p); }" => REFUTED[OG320] float* const p = MALLOC1(float, n)
// mutate: "free(q); }" -> "free(q); free(p); }" => REFUTED[OG320] float* const p = MALLOC1(float, n)
// mutate: "  free(p);" -> "  free(p); free(p);" => REFUTED[OG309] 2nd free(p);
// mutate: "m > 0" -> "m > -2" => REFUTED[OG314] float* const q = MALLOC1(float, m)
// mutate: '"n >= 0"' -> '"n >= -1"' => REFUTED[OG314] float* const p = MALLOC1(float, n)

void f(int n, int m) {
  __requires("n >= 0");
  float* const p = MALLOC1(float, n);
  if (m > 0) { float* const q = MALLOC1(float, m); free(q); }
  free(p);
}
