#include <optigpu.h>

// The same with a histogram of its own for each block, in shared memory, which is added to the one in global memory: 2048 keys a block.
void histogram(int n, int* key, int* h) {
  __requires("K: int -> int");
  __requires("n >= 0");
  __requires("forall (i: int) (r: in_range(i, 0..n)) -> in_range(K(i), 0..256)");
  __reads("key ~> Matrix1(n, K)");
  __writes("h ~> Matrix1(256, fun c -> Sum(i in 0..n, K(i) == c ? 1 : 0))");

  int* const d_key = __gmem_malloc1<int>(n);
  int* const d_h = __gmem_malloc1<int>(256);
  memcpy_host_to_device1(d_key, key, n);
  for (int c = 0; c < 256; c++) {
    h[c] = 0;
  }
  memcpy_host_to_device1(d_h, h, 256);
  kernel_launch((n + 2047) / 2048, 256, 256 * sizeof(int));
  kernel_setup_end();
  thread for (int b = 0; b < (n + 2047) / 2048; b++) {
    __shared__ int s[256];
    thread for (int t = 0; t < 256; t++) {
      s[t] = 0;
    }
    blocksync();
    thread for (int t = 0; t < 256; t++) {
      for (int k = 0; k < 8; k++) {
        if (b * 2048 + k * 256 + t < n) {
          atomicAdd(&s[d_key[b * 2048 + k * 256 + t]], 1);
        }
      }
    }
    blocksync();
    thread for (int t = 0; t < 256; t++) {
      atomicAdd(&d_h[t], s[t]);
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(h, d_h, 256);
  gmem_free(d_h);
  gmem_free(d_key);
}
