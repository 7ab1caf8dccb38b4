#include <optigpu.h>

// c = a + b, for any n: the last block has threads without work
void vector_add(int n, float a[n], float b[n], float c[n]) {
  __requires("A: int -> float, B: int -> float");
  __reads("a ~> Matrix1(n, A), b ~> Matrix1(n, B)");
  __writes("c ~> Matrix1(n, fun i -> A(i) + B(i))");
  float* const d_a = __gmem_malloc1<float>(n);
  float* const d_b = __gmem_malloc1<float>(n);
  float* const d_c = __gmem_malloc1<float>(n);
  memcpy_host_to_device1(d_a, a, n);
  memcpy_host_to_device1(d_b, b, n);
  kernel_launch((n + 255) / 256, 256, 0);
  kernel_setup_end();
  thread for (int block = 0; block < (n + 255) / 256; block++) {
    thread for (int t = 0; t < 256; t++) {
      const int i = 256 * block + t;
      if (i < n) {
        d_c[i] = d_a[i] + d_b[i];
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
