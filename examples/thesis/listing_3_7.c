// Listing 3.7 of the thesis: transpose after the kernel launch transformation. The grid executes the loops as one, on default memory,
// which a GPU does not have: the program verifies, and no code is made of it.
// Ours: kernel_launch for kernel_start, and the contract, which the thesis omits. It says that the tiles fill the matrix: with
// W = 16 the launch would have no threads, and nothing would be transposed.
#include <optigpu.h>

void transpose(float* in, float* out, int W, int H) {
  __requires("A: int * int -> float, W_pos: W >= 0, H_pos: H >= 0, W_tiles: W % 32 == 0, H_tiles: H % 32 == 0");
  __requires("blocks: (W / 32) * (H / 32) < 1000000");
  __reads("in ~> Matrix2(H, W, A)");
  __writes("out ~> Matrix2(W, H, fun x y -> A(y, x))");
  {
    kernel_launch((W / 32) * (H / 32), 32 * 32, sizeof(float) * 32 * 32);
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
