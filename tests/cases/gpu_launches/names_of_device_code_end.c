// What device code declares is not known after the kernel.
// expect: REJECTED[OG100] y;

#include <optigpu.h>
void f(int n, float a[1], float b[1]) {
  __requires("A: int -> float, n >= 0 && n <= 10");
  __reads("a ~> Matrix1(1, A)");
  __writes("b ~> Matrix1(1, A)");
  float* const d = __gmem_malloc1<float>(1);
  memcpy_host_to_device1(d, a, 1);
  kernel_launch(n, 4, 0);
  kernel_setup_end();
  const float y = d[0];
  kernel_teardown_begin();
  kernel_kill();
  b[0] = y;
  gmem_free(d);
}
