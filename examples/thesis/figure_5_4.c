// Figure 5.4 of the thesis, a): a tail nest of sequential loops in a kernel, which the script figure_5_4.py converts.
// The figure is a picture; this program is of its shape. The launch, the second nest, which needs the barrier, and the contract are ours.
#include <optigpu.h>

void f(int n, int m, float a[n][m], float t[n][m], float b[n][m]) {
  __requires("A: int * int -> float, n_pos: n >= 0, m_pos: m >= 0");
  __reads("a ~> Matrix2(n, m, A)");
  __writes("t ~> Matrix2(n, m, fun i j -> A(i, j) + 1)");
  __writes("b ~> Matrix2(n, m, fun i j -> A(n - 1 - i, j) + 1)");
  kernel_launch(4, 32, 0);
  kernel_setup_end();
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) {
      t[i][j] = a[i][j] + 1.0f;
    }
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) {
      b[i][j] = t[n - 1 - i][j];
    }
  }
  kernel_teardown_begin();
  kernel_kill();
}
