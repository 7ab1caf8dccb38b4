// Listing 3.10 of the thesis: transpose after thread for conversion, still on default memory.
// Ours: the launch of Listing 3.7 around it, the contract, and magic barriers. The listing has blocksync() between the loops, but no
// real barrier accepts default memory (Section 5.2); the second barrier orders the reads of the tile before it is freed.
#include <optigpu.h>

void transpose(float* in, float* out, int W, int H) {
  __requires("A: int * int -> float, W_pos: W >= 0, H_pos: H >= 0, W_tiles: W % 32 == 0, H_tiles: H % 32 == 0");
  __requires("blocks: (W / 32) * (H / 32) < 1000000");
  __reads("in ~> Matrix2(H, W, A)");
  __writes("out ~> Matrix2(W, H, fun x y -> A(y, x))");
  {
    kernel_launch((W / 32) * (H / 32), 32 * 32, sizeof(float) * 32 * 32);
    kernel_setup_end();
    thread for (int by = 0; by < H / 32; by++) {
      thread for (int bx = 0; bx < W / 32; bx++) {
        float* const tile = MALLOC2<float>(32, 32);
        thread for (int y = 0; y < 32; y++) {
          thread for (int x = 0; x < 32; x++) {
            tile[y][x] = in[by * 32 + y][bx * 32 + x];
          }
        }
        magic_barrier();
        thread for (int y = 0; y < 32; y++) {
          thread for (int x = 0; x < 32; x++) {
            out[bx * 32 + y][by * 32 + x] = tile[x][y];
          }
        }
        magic_barrier();
        free(tile);
      }
    }
    kernel_teardown_begin();
    kernel_kill();
  }
}
