#include <optigpu.h>

// c = a * b by 16 x 16 tiles in shared memory, one element of c a thread
void matmul_shared(int m, int n, int p, float a[m][p], float b[p][n], float c[m][n]) {
  __requires("A: int * int -> float, B: int * int -> float");
  __requires("m_tiles: m % 16 == 0, n_tiles: n % 16 == 0, p_tiles: p % 16 == 0");
  __reads("a ~> Matrix2(m, p, A), b ~> Matrix2(p, n, B)");
  __writes("c ~> Matrix2(m, n, fun i j -> Sum(k in 0..p, A(i, k) * B(k, j)))");
  float* const d_a = __gmem_malloc2<float>(m, p);
  float* const d_b = __gmem_malloc2<float>(p, n);
  float* const d_c = __gmem_malloc2<float>(m, n);
  memcpy_host_to_device2(d_a, a, m, p);
  memcpy_host_to_device2(d_b, b, p, n);
  kernel_launch((m / 16) * (n / 16), 16 * 16, 2 * 16 * 16 * sizeof(float));
  kernel_setup_end();
  thread for (int bi = 0; bi < m / 16; bi++) {
    thread for (int bj = 0; bj < n / 16; bj++) {
      __shared__ float s_a[16][16];
      __shared__ float s_b[16][16];
      float* const acc = __treg_malloc0<float>();
      thread for (int y = 0; y < 16; y++) {
        thread for (int x = 0; x < 16; x++) {
          acc[DMINDEX2(16, 16, y, x)] = 0.0f;
        }
      }
      for (int bk = 0; bk < p / 16; bk++) {
        thread for (int y = 0; y < 16; y++) {
          thread for (int x = 0; x < 16; x++) {
            s_a[y][x] = d_a[16 * bi + y][16 * bk + x];
            s_b[y][x] = d_b[16 * bk + y][16 * bj + x];
          }
        }
        blocksync();
        thread for (int y = 0; y < 16; y++) {
          thread for (int x = 0; x < 16; x++) {
            for (int k = 0; k < 16; k++) {
              acc[DMINDEX2(16, 16, y, x)] += s_a[y][k] * s_b[k][x];
            }
          }
        }
        blocksync();
      }
      thread for (int y = 0; y < 16; y++) {
        thread for (int x = 0; x < 16; x++) {
          d_c[16 * bi + y][16 * bj + x] = acc[DMINDEX2(16, 16, y, x)];
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
