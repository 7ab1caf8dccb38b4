// Wrong variants of examples/temporaries.c.
// program: examples/temporaries.c
// expect: VERIFIED
// mutate: "  free(t);\n" -> "" => REFUTED[OG308] float* const t = MALLOC1(float, n)
//   run: OG205 float* const t = MALLOC1(float, n)
// mutate: "  free(t);\n" -> "  free(t);\n  free(t);\n" => REFUTED[OG309] 2nd free(t);
//   run: OG204 2nd free(t);
// mutate: "  for (int i = 0; i < n; i++) {\n    b[i] = t[i] * t[i];\n  }\n  free(t);\n"
//   -> "  free(t);\n  for (int i = 0; i < n; i++) {\n    b[i] = t[i] * t[i];\n  }\n"
//   => REFUTED[OG302] 2nd for (int i = 0; i < n; i++) {
//   run: OG203 t[i] * t[i];
// mutate: "MALLOC1(float, n)" -> "MALLOC1(float, n - 1)" => REFUTED[OG314] float* const t = MALLOC1(float, n - 1)
//   run: OG201 float* const t = MALLOC1(float, n - 1)
