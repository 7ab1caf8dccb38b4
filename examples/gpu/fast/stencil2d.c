#include <optigpu.h>
#define ROWS 2
#define Y 8

// A five-point stencil on the interior, the border copied; any sizes. A thread computes ROWS rows of four columns. Blocks inside the
// matrix load and store vectors, each element once a thread; the others go element by element.
void stencil2d(int h, int w, float a[h][w], float b[h][w]) {
  __requires("A: int * int -> float");
  __reads("a ~> Matrix2(h, w, A)");
  __writes("b ~> Matrix2(h, w, fun i j -> 0 < i && i < h - 1 && 0 < j && j < w - 1 ? "
           "0.5f * A(i, j) + 0.125f * (A(i - 1, j) + A(i + 1, j) + A(i, j - 1) + A(i, j + 1)) : A(i, j))");
  float* const d_a = __gmem_malloc2<float>(h, w);
  float* const d_b = __gmem_malloc2<float>(h, w);
  memcpy_host_to_device2(d_a, a, h, w);
  kernel_launch(((h + ROWS * Y - 1) / (ROWS * Y)) * ((w + 127) / 128), Y * 32, 0);
  kernel_setup_end();
  thread for (int by = 0; by < (h + ROWS * Y - 1) / (ROWS * Y); by++) {
    thread for (int bx = 0; bx < (w + 127) / 128; bx++) {
      thread for (int y = 0; y < Y; y++) {
        thread for (int x = 0; x < 32; x++) {
          const int top = ROWS * Y * by + ROWS * y;
          const int left = 128 * bx + 4 * x;
          if (w % 4 == 0 && 0 < by && ROWS * Y * (by + 1) < h && 0 < bx && 128 * (bx + 1) < w) {
            float v[ROWS + 2][4];
            float before[ROWS];
            float after[ROWS];
            for (int q = 0; q < ROWS + 2; q++) {
              vload4(&v[q][0], &d_a[top + q - 1][left]);
            }
            for (int j = 0; j < ROWS; j++) {
              before[j] = d_a[top + j][left - 1];
              after[j] = d_a[top + j][left + 4];
            }
            for (int j = 0; j < ROWS; j++) {
              float r[4];
              r[0] = 0.5f * v[j + 1][0] + 0.125f * (v[j][0] + v[j + 2][0] + before[j] + v[j + 1][1]);
              r[1] = 0.5f * v[j + 1][1] + 0.125f * (v[j][1] + v[j + 2][1] + v[j + 1][0] + v[j + 1][2]);
              r[2] = 0.5f * v[j + 1][2] + 0.125f * (v[j][2] + v[j + 2][2] + v[j + 1][1] + v[j + 1][3]);
              r[3] = 0.5f * v[j + 1][3] + 0.125f * (v[j][3] + v[j + 2][3] + v[j + 1][2] + after[j]);
              vstore4(&d_b[top + j][left], &r[0]);
            }
          } else {
            for (int j = 0; j < ROWS; j++) {
              for (int k = 0; k < 4; k++) {
                if (top + j < h && left + k < w) {
                  if (0 < top + j && top + j < h - 1 && 0 < left + k && left + k < w - 1) {
                    d_b[top + j][left + k] = 0.5f * d_a[top + j][left + k] +
                      0.125f * (d_a[top + j - 1][left + k] + d_a[top + j + 1][left + k] + d_a[top + j][left + k - 1] +
                                d_a[top + j][left + k + 1]);
                  } else {
                    d_b[top + j][left + k] = d_a[top + j][left + k];
                  }
                }
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
