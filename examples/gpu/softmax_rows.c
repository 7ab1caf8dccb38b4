#include <optigpu.h>

__DEF(row_max, "fun (A: int * int -> float) (i: int) (w: int) -> Max(j in 0..w, A(i, j))");

// Each row of b is the softmax of that row of a. A block of 128 threads works on a row; its maximum and its sum are found by trees in
// shared memory, and read by the whole block at once.
void softmax_rows(int h, int w, float a[h][w], float b[h][w]) {
  __requires("A: int * int -> float, width: w > 0");
  __reads("a ~> Matrix2(h, w, A)");
  __writes("b ~> Matrix2(h, w, fun i j -> expf(A(i, j) - row_max(A, i, w)) / "
           "Sum(k in 0..w, expf(A(i, k) - row_max(A, i, w))))");
  float* const d_a = __gmem_malloc2<float>(h, w);
  float* const d_b = __gmem_malloc2<float>(h, w);
  memcpy_host_to_device2(d_a, a, h, w);
  kernel_launch(h, 128, 2 * 128 * sizeof(float));
  kernel_setup_end();
  thread for (int i = 0; i < h; i++) {
    __shared__ float s_max[128];
    __shared__ float s_sum[128];
    thread for (int t = 0; t < 128; t++) {
      float best = d_a[i][0];
      for (int j = t; j < w; j += 128) {
        best = fmaxf(best, d_a[i][j]);
      }
      s_max[t] = best;
    }
    for (int half = 64; half > 0; half >>= 1) {
      blocksync();
      thread for (int t = 0; t < 128; t++) {
        if (t < half) {
          s_max[t] = fmaxf(s_max[t], s_max[t + half]);
        }
      }
    }
    blocksync();
    const float top = s_max[0];
    thread for (int t = 0; t < 128; t++) {
      float sum = 0.0f;
      for (int j = t; j < w; j += 128) {
        sum += expf(d_a[i][j] - top);
      }
      s_sum[t] = sum;
    }
    for (int half = 64; half > 0; half >>= 1) {
      blocksync();
      thread for (int t = 0; t < 128; t++) {
        if (t < half) {
          s_sum[t] += s_sum[t + half];
        }
      }
    }
    blocksync();
    const float total = s_sum[0];
    thread for (int t = 0; t < 128; t++) {
      for (int j = t; j < w; j += 128) {
        d_b[i][j] = expf(d_a[i][j] - top) / total;
      }
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(b, d_b, h, w);
  gmem_free(d_a);
  gmem_free(d_b);
}
