// The sizes in MINDEX2 are those with which the array was allocated.
// expect: VERIFIED
// mutate: "const int m" -> "int m", "k = 2" -> "m = 2" => REJECTED[OG111] m, i, j)] = p[MINDEX2(4, 4, i, j)];

#include <optigpu.h>
float f(float* p) {
  __requires("A: int * int -> float");
  __reads("p ~> Matrix2(4, 4, A)");
  __ensures("_Res == A(1, 1)");
  int k = 4;
  const int m = 4;
  float* const q = MALLOC2(float, 4, m);
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      q[MINDEX2(4, m, i, j)] = p[MINDEX2(4, 4, i, j)];
  k = 2;
  const float r = q[MINDEX2(4, m, 1, 1)];
  free(q);
  return r;
}
