#include <optigpu.h>
#define ROWS 4

// b = the transpose of a, for any sizes. Rows of b whose length 8 does not divide start in the middle of a 32-byte sector of memory, and
// writing parts of sectors is slow. So the window of 64 columns that a block writes is shifted to the left, for each row by as
// much as the row is off, and the block reads 7 rows of a more.
void transpose_aligned(int W, int H, float a[H][W], float b[W][H]) {
  __requires("A: int * int -> float");
  __reads("a ~> Matrix2(H, W, A)");
  __writes("b ~> Matrix2(W, H, fun i j -> A(j, i))");
  float* const d_a = __gmem_malloc2<float>(H, W);
  float* const d_b = __gmem_malloc2<float>(W, H);
  memcpy_host_to_device2(d_a, a, H, W);
  kernel_launch(((H + 70) / 64) * ((W + 63) / 64), ROWS * 64, 72 * 65 * sizeof(float));
  kernel_setup_end();
  thread for (int by = 0; by < (H + 70) / 64; by++) {
    thread for (int bx = 0; bx < (W + 63) / 64; bx++) {
      __shared__ float tile[72][65];
      thread for (int y = 0; y < ROWS; y++) {
        thread for (int x = 0; x < 64; x++) {
          float r[72 / ROWS];
          for (int j = 0; j < 72 / ROWS; j++) {
            if (8 <= 64 * by + ROWS * j + y && 64 * by + ROWS * j + y - 8 < H && 64 * bx + x < W) {
              r[j] = d_a[64 * by + ROWS * j + y - 8][64 * bx + x];
            } else {
              r[j] = 0.0f;
            }
          }
          for (int j = 0; j < 72 / ROWS; j++) {
            tile[ROWS * j + y][x] = r[j];
          }
        }
      }
      blocksync();
      thread for (int y = 0; y < ROWS; y++) {
        thread for (int x = 0; x < 64; x++) {
          for (int j = 0; j < 64 / ROWS; j++) {
            const int shift = (ROWS * j + y) * (H % 8) % 8;
            if (64 * bx + ROWS * j + y < W && shift <= 64 * by + x && 64 * by + x - shift < H) {
              d_b[64 * bx + ROWS * j + y][64 * by + x - shift] = tile[x + 8 - shift][ROWS * j + y];
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
