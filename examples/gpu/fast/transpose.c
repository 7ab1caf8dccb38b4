#include <optigpu.h>

// b = the transpose of a, for any sizes: tiles of 64 x 64 through shared memory, sixteen elements a thread in flight
void transpose(int W, int H, float a[H][W], float b[W][H]) {
  __requires("A: int * int -> float");
  __reads("a ~> Matrix2(H, W, A)");
  __writes("b ~> Matrix2(W, H, fun i j -> A(j, i))");
  float* const d_a = __gmem_malloc2<float>(H, W);
  float* const d_b = __gmem_malloc2<float>(W, H);
  memcpy_host_to_device2(d_a, a, H, W);
  kernel_launch(((H + 63) / 64) * ((W + 63) / 64), 256, 64 * 65 * sizeof(float));
  kernel_setup_end();
  thread for (int by = 0; by < (H + 63) / 64; by++) {
    thread for (int bx = 0; bx < (W + 63) / 64; bx++) {
      __shared__ float tile[64][65];
      thread for (int y = 0; y < 4; y++) {
        thread for (int x = 0; x < 64; x++) {
          for (int j = 0; j < 16; j++) {
            if (64 * by + 4 * j + y < H && 64 * bx + x < W) {
              tile[4 * j + y][x] = d_a[64 * by + 4 * j + y][64 * bx + x];
            }
          }
        }
      }
      blocksync();
      thread for (int y = 0; y < 4; y++) {
        thread for (int x = 0; x < 64; x++) {
          for (int j = 0; j < 16; j++) {
            if (64 * bx + 4 * j + y < W && 64 * by + x < H) {
              d_b[64 * bx + 4 * j + y][64 * by + x] = tile[x][4 * j + y];
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
