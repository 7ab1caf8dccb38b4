// Listing 3.5: the base transpose. The thesis omits the contract. Its tiled versions need that 32 divides W and H.
#include <optigpu.h>

void transpose(float *in, float *out, int W, int H) {
  __requires("A: int * int -> float, W_tiles: W % 32 == 0, H_tiles: H % 32 == 0");
  __reads("in ~> Matrix2(H, W, A)");
  __writes("out ~> Matrix2(W, H, fun i j -> A(j, i))");
  for (int x = 0; x < W; x++) {
    for (int y = 0; y < H; y++) {
      out[x][y] = in[y][x];
    }
  }
}
