#include <optigpu.h>

// y = s x², in another way where four elements fit exactly.
void scale(int n, float s, float x[n], float y[n]) {
  __requires("X: int -> float");
  __reads("x ~> Matrix1(n, X)");
  __writes("y ~> Matrix1(n, fun i -> s *. X(i) *. X(i))");
  if (n % 4 == 0) {
    float* const d_x = __gmem_malloc1<float>(n);
    float* const d_y = __gmem_malloc1<float>(n);
    memcpy_host_to_device1(d_x, x, n);
    kernel_launch(n / 4, 4, 0);
    kernel_setup_end();
    thread for (int b = 0; b < n / 4; b++) {
      thread for (int t = 0; t < 4; t++) {
        d_y[4 * b + t] = s * d_x[4 * b + t] * d_x[4 * b + t];
      }
    }
    kernel_teardown_begin();
    kernel_kill();
    memcpy_device_to_host1(y, d_y, n);
    gmem_free(d_x);
    gmem_free(d_y);
  } else {
    float* const d_x = __gmem_malloc1<float>(n);
    float* const d_y = __gmem_malloc1<float>(n);
    memcpy_host_to_device1(d_x, x, n);
    kernel_launch(n, 1, 0);
    kernel_setup_end();
    thread for (int b = 0; b < n; b++) {
      d_y[b] = s * d_x[b] * d_x[b];
    }
    kernel_teardown_begin();
    kernel_kill();
    memcpy_device_to_host1(y, d_y, n);
    gmem_free(d_x);
    gmem_free(d_y);
  }
}
