// `CALLOCn`: memory whose elements are zero, of every type.
// expect: VERIFIED
// also: annotated, replay
// run: clean
// mutate: 'CALLOC2(float, n, m)' -> 'MALLOC2(float, n, m)' => REFUTED[OG304] p[MINDEX2(n, m, n - 1, 1)]
// mutate: '_Res =. 0' -> '_Res =. 1' => REFUTED[OG307] _Res =. 1
// mutate: 'fun i -> 0' -> 'fun i -> 1' => REFUTED[OG305] out ~> Matrix1(n, fun i -> 1)
// mutate: 'q[MINDEX3(2, 3, 4, 1, 2, 3)]' -> 'q[MINDEX3(2, 3, 4, 1, 2, 4)]' => REFUTED[OG302] q[MINDEX3(2, 3, 4, 1, 2, 4)]
// mutate: '  free(q);\n' -> '' => REFUTED[OG308] int64_t* const q = CALLOC3(int64_t, 2, 3, 4)
// mutate: 'CALLOC1(bool, n)' -> 'CALLOC1(n)' => REJECTED[OG105] CALLOC1(n)
// mutate: 'CALLOC1(bool, n)' -> 'CALLOC1(bool, n, m)' => REJECTED[OG105] CALLOC1(bool, n, m)
// mutate: 'CALLOC1(bool, n)' -> 'CALLOC1(bool, -1)' => REFUTED[OG314] bool* const flags = CALLOC1(bool, -1)

#include <optigpu.h>

float f(int n, int m, int out[n]) {
  __requires("n >= 1, m >= 2, n <= 1000, m <= 1000");
  __writes("out ~> Matrix1(n, fun i -> 0)");
  __ensures("_Res =. 0");
  float* const p = CALLOC2(float, n, m);
  int64_t* const q = CALLOC3(int64_t, 2, 3, 4);
  bool* const flags = CALLOC1(bool, n);
  for (int i = 0; i < n; i++) {
    out[i] = flags[i] ? 1 : 0;
  }
  const float r = p[MINDEX2(n, m, n - 1, 1)] + q[MINDEX3(2, 3, 4, 1, 2, 3)];
  free(flags);
  free(q);
  free(p);
  return r;
}
