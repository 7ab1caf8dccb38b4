#include <optigpu.h>

// total[i] += x[i]: an array that is read and written.
void accumulate(int n, float total[n], float x[n]) {
  __requires("T: int -> float, X: int -> float");
  __reads("x ~> Matrix1(n, X)");
  __consumes("total ~> Matrix1(n, T)");
  __produces("total ~> Matrix1(n, fun i -> T(i) +. X(i))");
  float* const d_x = __gmem_malloc1<float>(n);
  float* const d_total = __gmem_malloc1<float>(n);
  memcpy_host_to_device1(d_x, x, n);
  memcpy_host_to_device1(d_total, total, n);
  kernel_launch(n, 1, 0);
  kernel_setup_end();
  thread for (int b = 0; b < n; b++) {
    d_total[b] = d_total[b] + d_x[b];
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(total, d_total, n);
  gmem_free(d_x);
  gmem_free(d_total);
}
