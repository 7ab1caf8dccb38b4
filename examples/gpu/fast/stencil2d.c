#include <optigpu.h>

// A five-point stencil on the interior, the border copied; any sizes. Eight rows a thread, neighbours through the caches.
void stencil2d(int h, int w, float a[h][w], float b[h][w]) {
  __requires("A: int * int -> float");
  __reads("a ~> Matrix2(h, w, A)");
  __writes("b ~> Matrix2(h, w, fun i j -> 0 < i && i < h - 1 && 0 < j && j < w - 1 ? "
           "0.5f * A(i, j) + 0.125f * (A(i - 1, j) + A(i + 1, j) + A(i, j - 1) + A(i, j + 1)) : A(i, j))");
  float* const d_a = __gmem_malloc2<float>(h, w);
  float* const d_b = __gmem_malloc2<float>(h, w);
  memcpy_host_to_device2(d_a, a, h, w);
  kernel_launch(((h + 15) / 16) * ((w + 127) / 128), 256, 0);
  kernel_setup_end();
  thread for (int by = 0; by < (h + 15) / 16; by++) {
    thread for (int bx = 0; bx < (w + 127) / 128; bx++) {
      thread for (int y = 0; y < 2; y++) {
        thread for (int x = 0; x < 128; x++) {
          const int col = 128 * bx + x;
          for (int j = 0; j < 8; j++) {
            const int row = 16 * by + 8 * y + j;
            if (row < h && col < w) {
              if (0 < row && row < h - 1 && 0 < col && col < w - 1) {
                d_b[row][col] = 0.5f * d_a[row][col] +
                  0.125f * (d_a[row - 1][col] + d_a[row + 1][col] + d_a[row][col - 1] + d_a[row][col + 1]);
              } else {
                d_b[row][col] = d_a[row][col];
              }
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
