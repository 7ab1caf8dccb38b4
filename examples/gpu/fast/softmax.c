#include <optigpu.h>
#define THREADS 512

// Softmax of rows of 16384: a block a row, its elements in registers, so that memory is read once and written once.
// Maximum and sum of a block: one value a thread to shared memory, 32 threads combine some each, every thread combines the 32.
void softmax(int rows, float x[rows][16384], float y[rows][16384]) {
  __requires("X: int * int -> float, rows_some: rows >= 0");
  __reads("x ~> Matrix2(rows, 16384, X)");
  __writes("y ~> Matrix2(rows, 16384, fun i j -> exp(X(i, j) - Max(k in 0..16384, X(i, k))) / "
           "Sum(l in 0..16384, exp(X(i, l) - Max(k in 0..16384, X(i, k)))))");
  float* const d_x = __gmem_malloc2<float>(rows, 16384);
  float* const d_y = __gmem_malloc2<float>(rows, 16384);
  memcpy_host_to_device2(d_x, x, rows, 16384);
  kernel_launch(rows, THREADS, 2 * (THREADS + 32) * sizeof(float));
  kernel_setup_end();
  thread for (int row = 0; row < rows; row++) {
    __shared__ float s_max[THREADS];
    __shared__ float s_max32[32];
    __shared__ float s_sum[THREADS];
    __shared__ float s_sum32[32];
    float* const v = __treg_malloc2<float>(4096 / THREADS, 4);
    thread for (int t = 0; t < THREADS; t++) {
      for (int j = 0; j < 4096 / THREADS; j++) {
        vload4(&v[DMINDEX1(THREADS, t)][j][0], &d_x[row][4 * THREADS * j + 4 * t]);
      }
      float m = v[DMINDEX1(THREADS, t)][0][0];
      for (int j = 0; j < 4096 / THREADS; j++) {
        for (int k = 0; k < 4; k++) {
          m = fmaxf(m, v[DMINDEX1(THREADS, t)][j][k]);
        }
      }
      s_max[t] = m;
    }
    blocksync();
    thread for (int t = 0; t < THREADS; t++) {
      if (t < 32) {
        float m = s_max[t];
        for (int j = 1; j < THREADS / 32; j++) {
          m = fmaxf(m, s_max[32 * j + t]);
        }
        s_max32[t] = m;
      }
    }
    blocksync();
    thread for (int t = 0; t < THREADS; t++) {
      float m = s_max32[0];
      for (int j = 1; j < 32; j++) {
        m = fmaxf(m, s_max32[j]);
      }
      float sum = 0.0f;
      for (int j = 0; j < 4096 / THREADS; j++) {
        for (int k = 0; k < 4; k++) {
          v[DMINDEX1(THREADS, t)][j][k] = expf(v[DMINDEX1(THREADS, t)][j][k] - m);
          sum += v[DMINDEX1(THREADS, t)][j][k];
        }
      }
      s_sum[t] = sum;
    }
    blocksync();
    thread for (int t = 0; t < THREADS; t++) {
      if (t < 32) {
        float sum = 0.0f;
        for (int j = 0; j < THREADS / 32; j++) {
          sum += s_sum[32 * j + t];
        }
        s_sum32[t] = sum;
      }
    }
    blocksync();
    thread for (int t = 0; t < THREADS; t++) {
      float sum = 0.0f;
      for (int j = 0; j < 32; j++) {
        sum += s_sum32[j];
      }
      const float scale = 1.0f / sum;
      for (int j = 0; j < 4096 / THREADS; j++) {
        for (int k = 0; k < 4; k++) {
          v[DMINDEX1(THREADS, t)][j][k] *= scale;
        }
        vstore4(&d_y[row][4 * THREADS * j + 4 * t], &v[DMINDEX1(THREADS, t)][j][0]);
      }
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(y, d_y, rows, 16384);
  gmem_free(d_x);
  gmem_free(d_y);
}
