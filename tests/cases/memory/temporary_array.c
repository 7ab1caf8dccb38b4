// A temporary heap array: allocated, written, read and freed once.
// expect: VERIFIED
// mutate: "  free(t);\n" -> "" => REFUTED[OG308] float* const t = MALLOC1(float, n)
// mutate: "  free(t);\n" -> "  free(t);\n  free(t);\n" => REFUTED[OG309] 2nd free(t);
// mutate: "  free(t);\n" -> "  free(t);\n  a[0] = t[0];\n" => REFUTED[OG302] t[0]
// mutate: "  free(t);\n" -> "  if (n > 3) {\n    free(t);\n  }\n" => REFUTED[OG320] float* const t = MALLOC1(float, n)
// mutate: "MALLOC1(float, n)" -> "MALLOC1(float, n - 1)" => REFUTED[OG314] float* const t = MALLOC1(float, n - 1)
// mutate: "size: n >= 0" -> "size: n >= -1" => VERIFIED
// mutate: "t[i] = a[i]" -> "t[i] = a[i]; free(t)" => REFUTED[OG309] 1st for (int i = 0; i < n; i++) {
// mutate: "i = 0; i < n; i++) {\n    t[i]" -> "i = 1; i < n; i++) {\n    t[i]" => REFUTED[OG304] t[n - 1 - i]
// mutate: "a[i] = t[n - 1 - i]" -> "a[i] = a[n - 1 - i]" => REFUTED[OG305] a ~> Matrix1(n, fun i -> A(n - 1 - i))
// mutate: "  free(t);\n" -> "  free(&t[1]);\n" => UNSUPPORTED[OG300] free(&t[1])

void memory(int n, float a[n]) {
  __requires("A: int -> float, size: n >= 0");
  __consumes("a ~> Matrix1(n, A)");
  __produces("a ~> Matrix1(n, fun i -> A(n - 1 - i))");
  float* const t = MALLOC1(float, n);
  for (int i = 0; i < n; i++) {
    t[i] = a[i];
  }
  for (int i = 0; i < n; i++) {
    a[i] = t[n - 1 - i];
  }
  free(t);
}
