// Listing 3.7: the transpose after the transformation that creates a kernel launch. The thesis calls it `kernel_start` here, and
// `kernel_launch` elsewhere. The kernel still works on the memory of the host.
#include <optigpu.h>

void transpose(float *in, float *out, int W, int H) {
  __requires("A: int * int -> float, W_tiles: W % 32 == 0, H_tiles: H % 32 == 0");
  __reads("in ~> Matrix2(H, W, A)");
  __writes("out ~> Matrix2(W, H, fun i j -> A(j, i))");
  {
    kernel_launch((W/32)*(H/32), 32 * 32, sizeof(float) * 32 * 32);
    kernel_setup_end();
    for (int x = 0; x < W; x++) {
      for (int y = 0; y < H; y++) {
        out[x][y] = in[y][x];
      }
    }
    kernel_teardown_begin();
    kernel_kill();
  }
}
