#include <optigpu.h>
#define BK 16

// c = a * b: a block computes 128 x 128, a thread 8 x 8 in registers; tiles of a (stored transposed) and b in shared memory, loaded
// between two barriers while other blocks compute
void matmul_plain(int m, int n, int p, float a[m][p], float b[p][n], float c[m][n]) {
  __requires("A: int * int -> float, B: int * int -> float");
  __requires("m_tiles: m % 128 == 0, n_tiles: n % 128 == 0, p_tiles: p % BK == 0");
  __reads("a ~> Matrix2(m, p, A), b ~> Matrix2(p, n, B)");
  __writes("c ~> Matrix2(m, n, fun i j -> Sum(k in 0..p, A(i, k) * B(k, j)))");
  float* const d_a = __gmem_malloc2<float>(m, p);
  float* const d_b = __gmem_malloc2<float>(p, n);
  float* const d_c = __gmem_malloc2<float>(m, n);
  memcpy_host_to_device2(d_a, a, m, p);
  memcpy_host_to_device2(d_b, b, p, n);
  kernel_launch((m / 128) * (n / 128), 256, (BK * 132 + BK * 128) * sizeof(float));
  kernel_setup_end();
  thread for (int bi = 0; bi < m / 128; bi++) {
    thread for (int bj = 0; bj < n / 128; bj++) {
      __shared__ float s_a[BK][132];
      __shared__ float s_b[BK][128];
      float* const acc = __treg_malloc2<float>(8, 8);
      thread for (int t = 0; t < 256; t++) {
        for (int i = 0; i < 8; i++) {
          for (int j = 0; j < 8; j++) {
            acc[DMINDEX1(256, t)][i][j] = 0.0f;
          }
        }
      }
      for (int kt = 0; kt < p / BK; kt++) {
        thread for (int t = 0; t < 256; t++) {
          float x[BK / 8][4];
          float y[BK / 8][4];
          for (int h = 0; h < BK / 8; h++) {
            vload4(&x[h][0], &d_a[128 * bi + 1024 / BK * h + t / (BK / 4)][BK * kt + 4 * (t % (BK / 4))]);
            vload4(&y[h][0], &d_b[BK * kt + 8 * h + t / 32][128 * bj + 4 * (t % 32)]);
          }
          for (int h = 0; h < BK / 8; h++) {
            for (int i = 0; i < 4; i++) {
              s_a[4 * (t % (BK / 4)) + i][1024 / BK * h + t / (BK / 4)] = x[h][i];
            }
            vstore4(&s_b[8 * h + t / 32][4 * (t % 32)], &y[h][0]);
          }
        }
        blocksync();
        thread for (int t = 0; t < 256; t++) {
          #pragma unroll
          for (int k = 0; k < BK; k++) {
            float x[2][4];
            float y[2][4];
            for (int h = 0; h < 2; h++) {
              vload4(&x[h][0], &s_a[k][64 * h + 4 * (t / 16)]);
              vload4(&y[h][0], &s_b[k][64 * h + 4 * (t % 16)]);
            }
            for (int i = 0; i < 8; i++) {
              for (int j = 0; j < 8; j++) {
                acc[DMINDEX1(256, t)][i][j] += x[i / 4][i % 4] * y[j / 4][j % 4];
              }
            }
          }
        }
        blocksync();
      }
      thread for (int t = 0; t < 256; t++) {
        for (int i = 0; i < 8; i++) {
          for (int h = 0; h < 2; h++) {
            vstore4(&d_c[128 * bi + 64 * (i / 4) + 4 * (t / 16) + i % 4][128 * bj + 64 * h + 4 * (t % 16)],
                    &acc[DMINDEX1(256, t)][i][4 * h]);
          }
        }
      }
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(c, d_c, m, n);
  gmem_free(d_a);
  gmem_free(d_b);
  gmem_free(d_c);
}
