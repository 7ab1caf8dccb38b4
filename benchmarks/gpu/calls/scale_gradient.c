#include <optigpu.h>

// The gradient of scale.c: dx = 2 s x dy.
void scale_gradient(int n, float s, float x[n], float dy[n], float dx[n]) {
  __requires("X: int -> float, D: int -> float");
  __reads("x ~> Matrix1(n, X), dy ~> Matrix1(n, D)");
  __writes("dx ~> Matrix1(n, fun i -> 2 *. s *. X(i) *. D(i))");
  float* const d_x = __gmem_malloc1<float>(n);
  float* const d_dy = __gmem_malloc1<float>(n);
  float* const d_dx = __gmem_malloc1<float>(n);
  memcpy_host_to_device1(d_x, x, n);
  memcpy_host_to_device1(d_dy, dy, n);
  kernel_launch(n, 1, 0);
  kernel_setup_end();
  thread for (int b = 0; b < n; b++) {
    d_dx[b] = 2.0f * s * d_x[b] * d_dy[b];
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(dx, d_dx, n);
  gmem_free(d_x);
  gmem_free(d_dy);
  gmem_free(d_dx);
}
