// Listing 3.8: the body of the transpose after loop transformations; what is around it is that of Listing 3.7.
#include <optigpu.h>

void transpose(float *in, float *out, int W, int H) {
  __requires("A: int * int -> float, W_tiles: W % 32 == 0, H_tiles: H % 32 == 0");
  __reads("in ~> Matrix2(H, W, A)");
  __writes("out ~> Matrix2(W, H, fun i j -> A(j, i))");
  {
    kernel_launch((W/32)*(H/32), 32 * 32, sizeof(float) * 32 * 32);
    kernel_setup_end();
    for (int by = 0; by < H/32; by++) { // blockIdx.y
      for (int bx = 0; bx < W/32; bx++) { // blockIdx.x
        float* const tile = MALLOC2<float>(32,32);
        for (int y = 0; y < 32; y++) { // threadIdx.y
          for (int x = 0; x < 32; x++) { // threadIdx.x
            tile[y][x] = in[by*32+y][bx*32+x];
          }
        }
        for (int y = 0; y < 32; y++) { // threadIdx.y
          for (int x = 0; x < 32; x++) { // threadIdx.x
            out[bx*32+y][by*32+x] = tile[x][y];
          }
        }
        free(tile);
      }
    }
    kernel_teardown_begin();
    kernel_kill();
  }
}
