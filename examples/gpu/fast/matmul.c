#include <optigpu.h>
#define BK 8

// c = a * b: a block computes 128 x 128, a thread 8 x 8 in registers (2 x 2 tiles of 4 x 4, so that neighbours read neighbouring
// vectors); tiles of a (stored transposed) and b in shared memory, the next ones loaded while the present ones are used
void matmul(int m, int n, int p, float a[m][p], float b[p][n], float c[m][n]) {
  __requires("A: int * int -> float, B: int * int -> float");
  __requires("m_tiles: m % 128 == 0, n_tiles: n % 128 == 0, p_tiles: p % BK == 0, p_some: p > 0");
  __reads("a ~> Matrix2(m, p, A), b ~> Matrix2(p, n, B)");
  __writes("c ~> Matrix2(m, n, fun i j -> Sum(k in 0..p, A(i, k) * B(k, j)))");
  float* const d_a = __gmem_malloc2<float>(m, p);
  float* const d_b = __gmem_malloc2<float>(p, n);
  float* const d_c = __gmem_malloc2<float>(m, n);
  memcpy_host_to_device2(d_a, a, m, p);
  memcpy_host_to_device2(d_b, b, p, n);
  kernel_launch((m / 128) * (n / 128), 256, (2 * BK * 132 + 2 * BK * 128) * sizeof(float));
  kernel_setup_end();
  thread for (int bi = 0; bi < m / 128; bi++) {
    thread for (int bj = 0; bj < n / 128; bj++) {
      __shared__ float s_a[2][BK][132];
      __shared__ float s_b[2][BK][128];
      float* const acc = __treg_malloc4<float>(2, 4, 2, 4);
      float* const next_a = __treg_malloc2<float>(BK / 8, 4);
      float* const next_b = __treg_malloc2<float>(BK / 8, 4);
      thread for (int ty = 0; ty < 16; ty++) {
        thread for (int tx = 0; tx < 16; tx++) {
          for (int hi = 0; hi < 2; hi++) {
            for (int i = 0; i < 4; i++) {
              for (int hj = 0; hj < 2; hj++) {
                for (int j = 0; j < 4; j++) {
                  acc[DMINDEX2(16, 16, ty, tx)][hi][i][hj][j] = 0.0f;
                }
              }
            }
          }
        }
      }
      thread for (int r = 0; r < 1024 / BK; r++) {
        thread for (int q = 0; q < BK / 4; q++) {
          for (int h = 0; h < BK / 8; h++) {
            vload4(&next_a[DMINDEX2(1024 / BK, BK / 4, r, q)][h][0], &d_a[128 * bi + 1024 / BK * h + r][4 * q]);
          }
        }
      }
      thread for (int r = 0; r < 8; r++) {
        thread for (int q = 0; q < 32; q++) {
          for (int h = 0; h < BK / 8; h++) {
            vload4(&next_b[DMINDEX2(8, 32, r, q)][h][0], &d_b[8 * h + r][128 * bj + 4 * q]);
          }
        }
      }
      thread for (int r = 0; r < 1024 / BK; r++) {
        thread for (int q = 0; q < BK / 4; q++) {
          for (int h = 0; h < BK / 8; h++) {
            for (int i = 0; i < 4; i++) {
              s_a[0][4 * q + i][1024 / BK * h + r] = next_a[DMINDEX2(1024 / BK, BK / 4, r, q)][h][i];
            }
          }
        }
      }
      thread for (int r = 0; r < 8; r++) {
        thread for (int q = 0; q < 32; q++) {
          for (int h = 0; h < BK / 8; h++) {
            vstore4(&s_b[0][8 * h + r][4 * q], &next_b[DMINDEX2(8, 32, r, q)][h][0]);
          }
        }
      }
      blocksync();
      for (int kt = 0; kt < p / BK; kt++) {
        if (kt + 1 < p / BK) {
          thread for (int r = 0; r < 1024 / BK; r++) {
            thread for (int q = 0; q < BK / 4; q++) {
              for (int h = 0; h < BK / 8; h++) {
                vload4(&next_a[DMINDEX2(1024 / BK, BK / 4, r, q)][h][0], &d_a[128 * bi + 1024 / BK * h + r][BK * (kt + 1) + 4 * q]);
              }
            }
          }
          thread for (int r = 0; r < 8; r++) {
            thread for (int q = 0; q < 32; q++) {
              for (int h = 0; h < BK / 8; h++) {
                vload4(&next_b[DMINDEX2(8, 32, r, q)][h][0], &d_b[BK * (kt + 1) + 8 * h + r][128 * bj + 4 * q]);
              }
            }
          }
        }
        thread for (int ty = 0; ty < 16; ty++) {
          thread for (int tx = 0; tx < 16; tx++) {
            #pragma unroll
            for (int k = 0; k < BK; k++) {
              float x[2][4];
              float y[2][4];
              for (int h = 0; h < 2; h++) {
                vload4(&x[h][0], &s_a[kt % 2][k][64 * h + 4 * ty]);
                vload4(&y[h][0], &s_b[kt % 2][k][64 * h + 4 * tx]);
              }
              for (int hi = 0; hi < 2; hi++) {
                for (int i = 0; i < 4; i++) {
                  for (int hj = 0; hj < 2; hj++) {
                    for (int j = 0; j < 4; j++) {
                      acc[DMINDEX2(16, 16, ty, tx)][hi][i][hj][j] += x[hi][i] * y[hj][j];
                    }
                  }
                }
              }
            }
          }
        }
        if (kt + 1 < p / BK) {
          thread for (int r = 0; r < 1024 / BK; r++) {
            thread for (int q = 0; q < BK / 4; q++) {
              for (int h = 0; h < BK / 8; h++) {
                for (int i = 0; i < 4; i++) {
                  s_a[(kt + 1) % 2][4 * q + i][1024 / BK * h + r] = next_a[DMINDEX2(1024 / BK, BK / 4, r, q)][h][i];
                }
              }
            }
          }
          thread for (int r = 0; r < 8; r++) {
            thread for (int q = 0; q < 32; q++) {
              for (int h = 0; h < BK / 8; h++) {
                vstore4(&s_b[(kt + 1) % 2][8 * h + r][4 * q], &next_b[DMINDEX2(8, 32, r, q)][h][0]);
              }
            }
          }
        }
        blocksync();
      }
      thread for (int ty = 0; ty < 16; ty++) {
        thread for (int tx = 0; tx < 16; tx++) {
          for (int hi = 0; hi < 2; hi++) {
            for (int i = 0; i < 4; i++) {
              for (int hj = 0; hj < 2; hj++) {
                vstore4(&d_c[128 * bi + 64 * hi + 4 * ty + i][128 * bj + 64 * hj + 4 * tx],
                        &acc[DMINDEX2(16, 16, ty, tx)][hi][i][hj][0]);
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
