#include <optigpu.h>

// h[c] = how many keys are c, by one atomic addition a key. After the kernel, a cell holds the sum of what its threads have added.
void histogram(int n, int m, int* key, int* h) {
  __requires("K: int -> int");
  __requires("n >= 0 && m >= 0");
  __requires("forall (i: int) (r: in_range(i, 0..n)) -> in_range(K(i), 0..m)");
  __reads("key ~> Matrix1(n, K)");
  __writes("h ~> Matrix1(m, fun c -> Sum(i in 0..n, K(i) == c ? 1 : 0))");

  int* const d_key = __gmem_malloc1<int>(n);
  int* const d_h = __gmem_malloc1<int>(m);
  memcpy_host_to_device1(d_key, key, n);
  for (int c = 0; c < m; c++) {
    h[c] = 0;
  }
  memcpy_host_to_device1(d_h, h, m);
  kernel_launch((n + 255) / 256, 256, 0);
  kernel_setup_end();
  thread for (int b = 0; b < (n + 255) / 256; b++) {
    thread for (int t = 0; t < 256; t++) {
      if (b * 256 + t < n) {
        atomicAdd(&d_h[d_key[b * 256 + t]], 1);
      }
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(h, d_h, m);
  gmem_free(d_h);
  gmem_free(d_key);
}
