#include <optigpu.h>
void matmul(int m, int n, int p, float a[m][p], float b[p][n], float c[m][n]) {
  __requires("A: int * int -> float, B: int * int -> float");
  __requires("m_tiles: m % 32 == 0, n_tiles: n % 16 == 0, p_tiles: p % 16 == 0");
  __reads("a ~> Matrix2(m, p, A), b ~> Matrix2(p, n, B)");
  __writes("c ~> Matrix2(m, n, fun i j -> Sum(k in 0..p, A(i, k) * B(k, j)))");
  float* const d_a = __gmem_malloc2<float>(m, p);
  float* const d_b = __gmem_malloc2<float>(p, n);
  float* const d_c = __gmem_malloc2<float>(m, n);
  memcpy_host_to_device2(d_a, a, m, p);
  memcpy_host_to_device2(d_b, b, p, n);
  kernel_launch((m / 32) * (n / 16), 64, (16 * 40 + 16 * 24) * sizeof(float));
  kernel_setup_end();
  thread for (int bi = 0; bi < m / 32; bi++) {
    thread for (int bj = 0; bj < n / 16; bj++) {
      __shared__ float s_a[16][40];
      __shared__ float s_b[16][24];
      float* const acc = __treg_malloc3<float>(2, 2, 2);
      thread for (int w = 0; w < 2; w++) {
        thread for (int g = 0; g < 8; g++) {
          thread for (int t = 0; t < 4; t++) {
            for (int nt = 0; nt < 2; nt++) {
              for (int h = 0; h < 2; h++) {
                for (int e = 0; e < 2; e++) {
                  acc[DMINDEX3(2, 8, 4, w, g, t)][nt][h][e] = 0.0f;
                }
              }
            }
          }
        }
      }
      for (int kt = 0; kt < p / 16; kt++) {
        thread for (int x = 0; x < 4; x++) {
          thread for (int y = 0; y < 16; y++) {
            for (int r = 0; r < 8; r++) {
              s_a[y][8 * x + r] = d_a[32 * bi + 8 * x + r][16 * kt + y];
            }
            for (int r = 0; r < 4; r++) {
              s_b[y][4 * x + r] = d_b[16 * kt + y][16 * bj + 4 * x + r];
            }
          }
        }
        blocksync();
        thread for (int w = 0; w < 2; w++) {
          thread for (int g = 0; g < 8; g++) {
            thread for (int t = 0; t < 4; t++) {
              for (int kk = 0; kk < 2; kk++) {
                for (int nt = 0; nt < 2; nt++) {
                  #pragma tensor_cores tf32x3
                  for (int k = 0; k < 8; k++) {
                    for (int h = 0; h < 2; h++) {
                      for (int e = 0; e < 2; e++) {
                        acc[DMINDEX3(2, 8, 4, w, g, t)][nt][h][e] += s_a[8 * kk + k][16 * w + 8 * h + g] * s_b[8 * kk + k][8 * nt + 2 * t + e];
                      }
                    }
                  }
                }
              }
            }
          }
        }
        blocksync();
      }
      thread for (int w = 0; w < 2; w++) {
        thread for (int g = 0; g < 8; g++) {
          thread for (int t = 0; t < 4; t++) {
            for (int nt = 0; nt < 2; nt++) {
              for (int h = 0; h < 2; h++) {
                for (int e = 0; e < 2; e++) {
                  d_c[32 * bi + 16 * w + 8 * h + g][16 * bj + 8 * nt + 2 * t + e] = acc[DMINDEX3(2, 8, 4, w, g, t)][nt][h][e];
                }
              }
            }
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
