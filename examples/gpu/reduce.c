#include <optigpu.h>

// The sum of an array: each of 4 x 128 threads adds up every 512th element in a register, each block adds up its threads' sums by
// a tree in shared memory, the host adds up the blocks' sums.
float reduce(int n, float a[n]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __ensures("_Res == Sum(i in 0..n, A(i))");
  float* const d_a = __gmem_malloc1<float>(n);
  float* const d_sums = __gmem_malloc1<float>(4);
  memcpy_host_to_device1(d_a, a, n);
  kernel_launch(4, 128, 128 * sizeof(float));
  kernel_setup_end();
  thread for (int b = 0; b < 4; b++) {
    __shared__ float s[128];
    thread for (int t = 0; t < 128; t++) {
      float sum = 0.0f;
      for (int i = 128 * b + t; i < n; i += 512) {
        sum += d_a[i];
      }
      s[t] = sum;
    }
    for (int half = 64; half > 0; half >>= 1) {
      blocksync();
      thread for (int t = 0; t < 128; t++) {
        if (t < half) {
          s[t] += s[t + half];
        }
      }
    }
    thread for (int t = 0; t < 128; t++) {
      if (t == 0) {
        d_sums[b] = s[0];
      }
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  float* const sums = MALLOC1(float, 4);
  memcpy_device_to_host1(sums, d_sums, 4);
  float total = 0.0f;
  for (int b = 0; b < 4; b++) {
    total += sums[b];
  }
  free(sums);
  gmem_free(d_a);
  gmem_free(d_sums);
  return total;
}
