// Figure 5.3 of the thesis, leftmost box: a serial program, of which the script figure_5_3.py makes a kernel, phase by phase.
// The figure is a picture; this program is of its shape, a loop nest for the blocks and threads of a grid. The contract is ours.
#include <optigpu.h>

void f(int n, float a[n][32], float b[n][32]) {
  __requires("A: int * int -> float, n_pos: n >= 0");
  __reads("a ~> Matrix2(n, 32, A)");
  __writes("b ~> Matrix2(n, 32, fun i j -> 2 * A(i, 31 - j))");
  for (int i = 0; i < n; i++) {
    float* const t = MALLOC1(float, 32);
    for (int j = 0; j < 32; j++) {
      t[j] = 2.0f * a[i][j];
    }
    for (int j = 0; j < 32; j++) {
      b[i][j] = t[31 - j];
    }
    free(t);
  }
}
