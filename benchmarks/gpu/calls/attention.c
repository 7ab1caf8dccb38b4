#include <optigpu.h>

// Attention in three kernels, without its promise: the scores, their exponentials and sums, the weighted sums of v.
void attention(int n, int d, float q[n][d], float k[n][d], float v[n][d], float out[n][d]) {
  __requires("Q: int * int -> float, K: int * int -> float, V: int * int -> float, 0 < n, n <= 1024, 0 < d, d <= 1024");
  __reads("q ~> Matrix2(n, d, Q), k ~> Matrix2(n, d, K), v ~> Matrix2(n, d, V)");
  __writes("out ~> Cells2(n, d)");
  float* const d_q = __gmem_malloc2<float>(n, d);
  float* const d_k = __gmem_malloc2<float>(n, d);
  float* const d_v = __gmem_malloc2<float>(n, d);
  float* const d_out = __gmem_malloc2<float>(n, d);
  float* const scores = __gmem_malloc2<float>(n, n);
  float* const weights = __gmem_malloc2<float>(n, n);
  float* const sums = __gmem_malloc1<float>(n);
  memcpy_host_to_device2(d_q, q, n, d);
  memcpy_host_to_device2(d_k, k, n, d);
  memcpy_host_to_device2(d_v, v, n, d);
  kernel_launch(n, n, 0);
  kernel_setup_end();
  thread for (int i = 0; i < n; i++) {
    thread for (int j = 0; j < n; j++) {
      float x = 0.0f;
      for (int c = 0; c < d; c++) {
        x += d_q[i][c] * d_k[j][c];
      }
      scores[i][j] = x;
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  kernel_launch(n, 1, 0);
  kernel_setup_end();
  thread for (int i = 0; i < n; i++) {
    float x = 0.0f;
    for (int j = 0; j < n; j++) {
      weights[i][j] = expf(scores[i][j]);
      x += weights[i][j];
    }
    sums[i] = x;
  }
  kernel_teardown_begin();
  kernel_kill();
  kernel_launch(n, d, 0);
  kernel_setup_end();
  thread for (int i = 0; i < n; i++) {
    thread for (int c = 0; c < d; c++) {
      float x = 0.0f;
      for (int j = 0; j < n; j++) {
        x += weights[i][j] * d_v[j][c];
      }
      d_out[i][c] = x / sums[i];
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(out, d_out, n, d);
  gmem_free(scores);
  gmem_free(weights);
  gmem_free(sums);
  gmem_free(d_q);
  gmem_free(d_k);
  gmem_free(d_v);
  gmem_free(d_out);
}
