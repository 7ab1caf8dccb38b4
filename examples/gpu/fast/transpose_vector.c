#include <optigpu.h>

// b = the transpose of a, for sizes that 64 divides: tiles of 64 x 64, vector accesses to global memory on both sides
void transpose_vector(int W, int H, float a[H][W], float b[W][H]) {
  __requires("A: int * int -> float, W_tiles: W % 64 == 0, H_tiles: H % 64 == 0");
  __reads("a ~> Matrix2(H, W, A)");
  __writes("b ~> Matrix2(W, H, fun i j -> A(j, i))");
  float* const d_a = __gmem_malloc2<float>(H, W);
  float* const d_b = __gmem_malloc2<float>(W, H);
  memcpy_host_to_device2(d_a, a, H, W);
  kernel_launch((H / 64) * (W / 64), 256, 64 * 65 * sizeof(float));
  kernel_setup_end();
  thread for (int by = 0; by < H / 64; by++) {
    thread for (int bx = 0; bx < W / 64; bx++) {
      __shared__ float tile[64][65];
      thread for (int y = 0; y < 16; y++) {
        thread for (int x = 0; x < 16; x++) {
          float r[4][4];
          for (int j = 0; j < 4; j++) {
            vload4(&r[j][0], &d_a[64 * by + 16 * j + y][64 * bx + 4 * x]);
          }
          for (int j = 0; j < 4; j++) {
            for (int k = 0; k < 4; k++) {
              tile[16 * j + y][4 * x + k] = r[j][k];
            }
          }
        }
      }
      blocksync();
      thread for (int y = 0; y < 16; y++) {
        thread for (int x = 0; x < 16; x++) {
          for (int j = 0; j < 4; j++) {
            float r[4];
            for (int k = 0; k < 4; k++) {
              r[k] = tile[4 * x + k][16 * j + y];
            }
            vstore4(&d_b[64 * bx + 16 * j + y][64 * by + 4 * x], &r[0]);
          }
        }
      }
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(b, d_b, W, H);
  gmem_free(d_a);
  gmem_free(d_b);
}
