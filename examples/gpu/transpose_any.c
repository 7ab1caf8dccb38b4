#include <optigpu.h>

// b = the transpose of a for any sizes: tiles at the edges are filled and emptied in part
void transpose_any(int W, int H, float a[H][W], float b[W][H]) {
  __requires("A: int * int -> float");
  __reads("a ~> Matrix2(H, W, A)");
  __writes("b ~> Matrix2(W, H, fun i j -> A(j, i))");
  float* const d_a = __gmem_malloc2<float>(H, W);
  float* const d_b = __gmem_malloc2<float>(W, H);
  memcpy_host_to_device2(d_a, a, H, W);
  kernel_launch(((H + 31) / 32) * ((W + 31) / 32), 256, 32 * 33 * sizeof(float));
  kernel_setup_end();
  thread for (int by = 0; by < (H + 31) / 32; by++) {
    thread for (int bx = 0; bx < (W + 31) / 32; bx++) {
      __shared__ float tile[32][33];
      thread for (int y = 0; y < 8; y++) {
        thread for (int x = 0; x < 32; x++) {
          for (int j = 0; j < 4; j++) {
            if (32 * by + 8 * j + y < H && 32 * bx + x < W) {
              tile[8 * j + y][x] = d_a[32 * by + 8 * j + y][32 * bx + x];
            }
          }
        }
      }
      blocksync();
      thread for (int y = 0; y < 8; y++) {
        thread for (int x = 0; x < 32; x++) {
          for (int j = 0; j < 4; j++) {
            if (32 * bx + 8 * j + y < W && 32 * by + x < H) {
              d_b[32 * bx + 8 * j + y][32 * by + x] = tile[x][8 * j + y];
            }
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
