#include <optigpu.h>
#define TILE 64
#define ROWS 4

// b = the transpose of a, for any sizes: square tiles through shared memory, TILE / ROWS elements a thread in flight at a time
void transpose(int W, int H, float a[H][W], float b[W][H]) {
  __requires("A: int * int -> float");
  __reads("a ~> Matrix2(H, W, A)");
  __writes("b ~> Matrix2(W, H, fun i j -> A(j, i))");
  float* const d_a = __gmem_malloc2<float>(H, W);
  float* const d_b = __gmem_malloc2<float>(W, H);
  memcpy_host_to_device2(d_a, a, H, W);
  kernel_launch(((H + TILE - 1) / TILE) * ((W + TILE - 1) / TILE), ROWS * TILE, TILE * (TILE + 1) * sizeof(float));
  kernel_setup_end();
  thread for (int by = 0; by < (H + TILE - 1) / TILE; by++) {
    thread for (int bx = 0; bx < (W + TILE - 1) / TILE; bx++) {
      __shared__ float tile[TILE][TILE + 1];
      thread for (int y = 0; y < ROWS; y++) {
        thread for (int x = 0; x < TILE; x++) {
          float r[TILE / ROWS];
          for (int j = 0; j < TILE / ROWS; j++) {
            if (TILE * by + ROWS * j + y < H && TILE * bx + x < W) {
              r[j] = d_a[TILE * by + ROWS * j + y][TILE * bx + x];
            } else {
              r[j] = 0.0f;
            }
          }
          for (int j = 0; j < TILE / ROWS; j++) {
            tile[ROWS * j + y][x] = r[j];
          }
        }
      }
      blocksync();
      thread for (int y = 0; y < ROWS; y++) {
        thread for (int x = 0; x < TILE; x++) {
          for (int j = 0; j < TILE / ROWS; j++) {
            if (TILE * bx + ROWS * j + y < W && TILE * by + x < H) {
              d_b[TILE * bx + ROWS * j + y][TILE * by + x] = tile[x][ROWS * j + y];
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
