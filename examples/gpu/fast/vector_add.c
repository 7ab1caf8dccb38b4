#include <optigpu.h>

// c = a + b, four elements a thread by vector accesses; the last threads of an n that 4 does not divide go element by element
void vector_add(int n, float a[n], float b[n], float c[n]) {
  __requires("A: int -> float, B: int -> float");
  __reads("a ~> Matrix1(n, A), b ~> Matrix1(n, B)");
  __writes("c ~> Matrix1(n, fun i -> A(i) + B(i))");
  float* const d_a = __gmem_malloc1<float>(n);
  float* const d_b = __gmem_malloc1<float>(n);
  float* const d_c = __gmem_malloc1<float>(n);
  memcpy_host_to_device1(d_a, a, n);
  memcpy_host_to_device1(d_b, b, n);
  kernel_launch((n + 1023) / 1024, 256, 0);
  kernel_setup_end();
  thread for (int bx = 0; bx < (n + 1023) / 1024; bx++) {
    thread for (int t = 0; t < 256; t++) {
      const int i = 1024 * bx + 4 * t;
      if (i + 4 <= n) {
        float x[4];
        float y[4];
        vload4(&x[0], &d_a[i]);
        vload4(&y[0], &d_b[i]);
        for (int k = 0; k < 4; k++) {
          x[k] += y[k];
        }
        vstore4(&d_c[i], &x[0]);
      } else {
        for (int k = 0; k < 4; k++) {
          if (i + k < n) {
            d_c[i + k] = d_a[i + k] + d_b[i + k];
          }
        }
      }
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(c, d_c, n);
  gmem_free(d_a);
  gmem_free(d_b);
  gmem_free(d_c);
}
