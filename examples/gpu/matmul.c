#include <optigpu.h>

// c = a * b: a block computes 32 x 32 elements of c from tiles in shared memory, each of its 8 x 32 threads four of them in registers
void matmul(int m, int n, int p, float a[m][p], float b[p][n], float c[m][n]) {
  __requires("A: int * int -> float, B: int * int -> float");
  __requires("m_tiles: m % 32 == 0, n_tiles: n % 32 == 0, p_tiles: p % 32 == 0");
  __reads("a ~> Matrix2(m, p, A), b ~> Matrix2(p, n, B)");
  __writes("c ~> Matrix2(m, n, fun i j -> Sum(k in 0..p, A(i, k) * B(k, j)))");
  float* const d_a = __gmem_malloc2<float>(m, p);
  float* const d_b = __gmem_malloc2<float>(p, n);
  float* const d_c = __gmem_malloc2<float>(m, n);
  memcpy_host_to_device2(d_a, a, m, p);
  memcpy_host_to_device2(d_b, b, p, n);
  kernel_launch((m / 32) * (n / 32), 256, 2 * 32 * 32 * sizeof(float));
  kernel_setup_end();
  thread for (int bi = 0; bi < m / 32; bi++) {
    thread for (int bj = 0; bj < n / 32; bj++) {
      __shared__ float s_a[32][32];
      __shared__ float s_b[32][32];
      float* const acc = __treg_malloc1<float>(4);
      thread for (int y = 0; y < 8; y++) {
        thread for (int x = 0; x < 32; x++) {
          for (int j = 0; j < 4; j++) {
            acc[DMINDEX2(8, 32, y, x)][j] = 0.0f;
          }
        }
      }
      for (int bk = 0; bk < p / 32; bk++) {
        thread for (int y = 0; y < 8; y++) {
          thread for (int x = 0; x < 32; x++) {
            for (int j = 0; j < 4; j++) {
              s_a[8 * j + y][x] = d_a[32 * bi + 8 * j + y][32 * bk + x];
              s_b[8 * j + y][x] = d_b[32 * bk + 8 * j + y][32 * bj + x];
            }
          }
        }
        blocksync();
        thread for (int y = 0; y < 8; y++) {
          thread for (int x = 0; x < 32; x++) {
            for (int k = 0; k < 32; k++) {
              for (int j = 0; j < 4; j++) {
                acc[DMINDEX2(8, 32, y, x)][j] += s_a[8 * j + y][k] * s_b[k][x];
              }
            }
          }
        }
        blocksync();
      }
      thread for (int y = 0; y < 8; y++) {
        thread for (int x = 0; x < 32; x++) {
          for (int j = 0; j < 4; j++) {
            d_c[32 * bi + 8 * j + y][32 * bj + x] = acc[DMINDEX2(8, 32, y, x)][j];
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
