#include <optigpu.h>

// out[i] = a[0] + … + a[i]. First, each block scans 256 elements: a thread scans four of them, and adds what the threads before it
// have summed up. Then a second kernel adds to each block what the blocks before it have summed up.
void scan(int n, float a[n], float out[n]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __writes("out ~> Matrix1(n, fun i -> Sum(j in 0..i + 1, A(j)))");
  float* const d_a = __gmem_malloc1<float>(n);
  float* const d_out = __gmem_malloc1<float>(n);
  float* const d_sums = __gmem_malloc1<float>((n + 255) / 256);
  memcpy_host_to_device1(d_a, a, n);
  kernel_launch((n + 255) / 256, 64, 64 * sizeof(float));
  kernel_setup_end();
  thread for (int b = 0; b < (n + 255) / 256; b++) {
    __shared__ float s[64];
    thread for (int t = 0; t < 64; t++) {
      float sum = 0.0f;
      for (int j = 0; j < 4; j++) {
        if (256 * b + 4 * t + j < n) {
          sum += d_a[256 * b + 4 * t + j];
          d_out[256 * b + 4 * t + j] = sum;
        }
      }
      s[t] = sum;
    }
    blocksync();
    thread for (int t = 0; t < 64; t++) {
      float before = 0.0f;
      for (int k = 0; k < t; k++) {
        before += s[k];
      }
      for (int j = 0; j < 4; j++) {
        if (256 * b + 4 * t + j < n) {
          d_out[256 * b + 4 * t + j] += before;
        }
      }
      if (t == 63) {
        d_sums[b] = before + s[63];
      }
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  kernel_launch((n + 255) / 256, 256, 0);
  kernel_setup_end();
  thread for (int b = 0; b < (n + 255) / 256; b++) {
    thread for (int t = 0; t < 256; t++) {
      if (256 * b + t < n) {
        float before = 0.0f;
        for (int k = 0; k < b; k++) {
          before += d_sums[k];
        }
        d_out[256 * b + t] += before;
      }
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(out, d_out, n);
  gmem_free(d_a);
  gmem_free(d_out);
  gmem_free(d_sums);
}
