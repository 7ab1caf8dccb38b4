// Table 2.2 of the thesis: the permissions, a function for each row.
#include <optigpu.h>

// `p ~> UninitCell`: p can be written to, but its contents are unknown.
void uninitialised_cell(float* p) {
  __consumes("p ~> UninitCell");
  __produces("p ~~> 2");
  p[0] = 2.0f;
}

// `p ~~> v`: p can be written to and holds v.
void cell(float* p) {
  __requires("v: float");
  __consumes("p ~~> v");
  __produces("p ~~> 2 * v");
  p[0] = p[0] * 2.0f;
}

// `α p ~~> v` with α ≠ 1: p holds v and can only be read.
float shared_cell(const float* p) {
  __requires("v: float");
  __reads("p ~~> v");
  __ensures("_Res =. v + v");
  return p[0] + p[0];
}

// `for i in 0..N -> H(i)`: the same as H(0), H(1), ..., H(N - 1).
void group(int N, float p[N]) {
  __requires("N == 3");
  __consumes("for i in 0..N -> &p[i] ~~> i");
  __produces("&p[0] ~~> 0, &p[1] ~~> 2, &p[2] ~~> 2");
  p[1] = p[1] + p[1];
}
