#include <optigpu.h>

// The sum of an array, as in reduce.c, but the 128 sums of a block are added up by shuffles: 32 by 32 in each warp, then the four
// warps' sums by way of shared memory.
float reduce_warp(int n, float a[n]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __ensures("_Res == Sum(i in 0..n, A(i))");
  float* const d_a = __gmem_malloc1<float>(n);
  float* const d_sums = __gmem_malloc1<float>(4);
  memcpy_host_to_device1(d_a, a, n);
  kernel_launch(4, 128, 4 * sizeof(float));
  kernel_setup_end();
  thread for (int b = 0; b < 4; b++) {
    __shared__ float s[4];
    float* const sum = __treg_malloc0<float>();
    float* const other = __treg_malloc0<float>();
    thread for (int t = 0; t < 128; t++) {
      sum[DMINDEX1(128, t)] = 0.0f;
      for (int i = 128 * b + t; i < n; i += 512) {
        sum[DMINDEX1(128, t)] += d_a[i];
      }
    }
    thread for (int w = 0; w < 4; w++) {
      for (int d = 16; d > 0; d >>= 1) {
        shfl_down(&other[DMINDEX2(4, 32, w, 0)], &sum[DMINDEX2(4, 32, w, 0)], d);
        thread for (int l = 0; l < 32; l++) {
          if (l < d) {
            sum[DMINDEX2(4, 32, w, l)] += other[DMINDEX2(4, 32, w, l)];
          }
        }
      }
      thread for (int l = 0; l < 32; l++) {
        if (l == 0) {
          s[w] = sum[DMINDEX2(4, 32, w, l)];
        }
      }
    }
    blocksync();
    thread for (int t = 0; t < 128; t++) {
      if (t == 0) {
        d_sums[b] = s[0] + s[1] + s[2] + s[3];
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
