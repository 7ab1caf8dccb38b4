#include "library/reductions.h"

// The sums of the rows of a matrix, and of the 32 columns of each row that a warp has: one block a row, by the library's reductions.
void reduce_library(int n, float a[n][256], float rows[n], float warps[n][8]) {
  __requires("A: int * int -> float");
  __reads("a ~> Matrix2(n, 256, A)");
  __writes("rows ~> Matrix1(n, fun r -> Sum(t in 0..256, A(r, t)))");
  __writes("warps ~> Matrix2(n, 8, fun r w -> Sum(l in 0..32, A(r, 32 * w + l)))");
  float* const d_a = __gmem_malloc2<float>(n, 256);
  float* const d_rows = __gmem_malloc1<float>(n);
  float* const d_warps = __gmem_malloc2<float>(n, 8);
  memcpy_host_to_device2(d_a, a, n, 256);
  kernel_launch(n, 256, 256 * sizeof(float));
  kernel_setup_end();
  thread for (int r = 0; r < n; r++) {
    __shared__ float s[256];
    float* const x = __treg_malloc0<float>();
    float* const other = __treg_malloc0<float>();
    thread for (int t = 0; t < 256; t++) {
      x[DMINDEX1(256, t)] = d_a[r][t];
      s[t] = x[DMINDEX1(256, t)];
    }
    sum_block(s);
    thread for (int w = 0; w < 8; w++) {
      sum_warp(&x[DMINDEX2(8, 32, w, 0)], &other[DMINDEX2(8, 32, w, 0)]);
      thread for (int l = 0; l < 32; l++) {
        if (l == 0) {
          d_warps[r][w] = x[DMINDEX2(8, 32, w, l)];
        }
      }
    }
    thread for (int t = 0; t < 256; t++) {
      if (t == 0) {
        d_rows[r] = s[0];
      }
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(rows, d_rows, n);
  memcpy_device_to_host2(warps, d_warps, n, 8);
  gmem_free(d_a);
  gmem_free(d_rows);
  gmem_free(d_warps);
}
