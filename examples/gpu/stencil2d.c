#include <optigpu.h>

// A five-point stencil; the border is copied. A block computes 16 x 16 elements from a tile with a halo in shared memory.
void stencil2d(int h, int w, float a[h][w], float b[h][w]) {
  __requires("A: int * int -> float");
  __reads("a ~> Matrix2(h, w, A)");
  __writes("b ~> Matrix2(h, w, fun i j -> 0 < i && i < h - 1 && 0 < j && j < w - 1 "
           "? 0.5f * A(i, j) + 0.125f * (A(i - 1, j) + A(i + 1, j) + A(i, j - 1) + A(i, j + 1)) : A(i, j))");
  float* const d_a = __gmem_malloc2<float>(h, w);
  float* const d_b = __gmem_malloc2<float>(h, w);
  memcpy_host_to_device2(d_a, a, h, w);
  kernel_launch(((h + 15) / 16) * ((w + 15) / 16), 256, 18 * 18 * sizeof(float));
  kernel_setup_end();
  thread for (int by = 0; by < (h + 15) / 16; by++) {
    thread for (int bx = 0; bx < (w + 15) / 16; bx++) {
      __shared__ float s[18][18];
      thread for (int y = 0; y < 16; y++) {
        thread for (int x = 0; x < 16; x++) {
          const int i = 16 * by + y;
          const int j = 16 * bx + x;
          if (i < h && j < w) {
            s[y + 1][x + 1] = d_a[i][j];
          }
          if (y == 0 && 0 < i && j < w) {
            s[0][x + 1] = d_a[i - 1][j];
          }
          if (y == 15 && i + 1 < h && j < w) {
            s[17][x + 1] = d_a[i + 1][j];
          }
          if (x == 0 && 0 < j && i < h) {
            s[y + 1][0] = d_a[i][j - 1];
          }
          if (x == 15 && j + 1 < w && i < h) {
            s[y + 1][17] = d_a[i][j + 1];
          }
        }
      }
      blocksync();
      thread for (int y = 0; y < 16; y++) {
        thread for (int x = 0; x < 16; x++) {
          const int i = 16 * by + y;
          const int j = 16 * bx + x;
          if (i < h && j < w) {
            if (0 < i && i < h - 1 && 0 < j && j < w - 1) {
              d_b[i][j] = 0.5f * s[y + 1][x + 1] + 0.125f * (s[y][x + 1] + s[y + 2][x + 1] + s[y + 1][x] + s[y + 1][x + 2]);
            } else {
              d_b[i][j] = s[y + 1][x + 1];
            }
          }
        }
      }
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(b, d_b, h, w);
  gmem_free(d_a);
  gmem_free(d_b);
}
