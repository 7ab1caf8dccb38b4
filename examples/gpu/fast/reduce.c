#include <optigpu.h>
#define BLOCKS 528

// out = the sum of a, for any n: each thread adds up its share four vectors at a time, then the rest; a tree in each block; a second
// kernel adds the blocks' sums
void reduce(int n, float a[n], float out[1]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __writes("out ~> Matrix1(1, fun i -> Sum(k in 0..n, A(k)))");
  float* const d_a = __gmem_malloc1<float>(n);
  float* const d_partial = __gmem_malloc1<float>(BLOCKS);
  float* const d_out = __gmem_malloc1<float>(1);
  memcpy_host_to_device1(d_a, a, n);
  kernel_launch(BLOCKS, 256, 256 * sizeof(float));
  kernel_setup_end();
  thread for (int b = 0; b < BLOCKS; b++) {
    __shared__ float s[256];
    thread for (int t = 0; t < 256; t++) {
      float sum = 0.0f;
      for (int k = 0; k < n / (BLOCKS * 4096); k++) {
        #pragma unroll
        for (int u = 0; u < 4; u++) {
          float r[4];
          vload4(&r[0], &d_a[(BLOCKS * k + b) * 4096 + 1024 * u + 4 * t]);
          for (int v = 0; v < 4; v++) {
            sum += r[v];
          }
        }
      }
      for (int i = n / (BLOCKS * 4096) * (BLOCKS * 4096) + 256 * b + t; i < n; i += BLOCKS * 256) {
        sum += d_a[i];
      }
      s[t] = sum;
    }
    blocksync();
    for (int h = 128; h > 0; h >>= 1) {
      thread for (int t = 0; t < 256; t++) {
        if (t < h) {
          s[t] += s[t + h];
        }
      }
      blocksync();
    }
    thread for (int t = 0; t < 256; t++) {
      if (t == 0) {
        d_partial[b] = s[0];
      }
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  kernel_launch(1, 256, 256 * sizeof(float));
  kernel_setup_end();
  thread for (int b = 0; b < 1; b++) {
    __shared__ float s[256];
    thread for (int t = 0; t < 256; t++) {
      float sum = 0.0f;
      for (int i = t; i < BLOCKS; i += 256) {
        sum += d_partial[i];
      }
      s[t] = sum;
    }
    blocksync();
    for (int h = 128; h > 0; h >>= 1) {
      thread for (int t = 0; t < 256; t++) {
        if (t < h) {
          s[t] += s[t + h];
        }
      }
      blocksync();
    }
    thread for (int t = 0; t < 256; t++) {
      if (t == 0) {
        d_out[0] = s[0];
      }
    }
    blocksync();
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(out, d_out, 1);
  gmem_free(d_a);
  gmem_free(d_partial);
  gmem_free(d_out);
}
