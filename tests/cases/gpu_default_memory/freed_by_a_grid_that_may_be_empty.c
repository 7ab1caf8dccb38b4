// A grid without blocks frees nothing.
// expect: REFUTED[OG346] free(t);
// run: OG205 float* const t = MALLOC1(float, 8)

#include <optigpu.h>
void f(int n) {
  __requires("n >= 0 && n <= 1000");
  float* const t = MALLOC1(float, 8);
  kernel_launch(n, 4, 0);
  kernel_setup_end();
  free(t);
  kernel_teardown_begin();
  kernel_kill();
}
