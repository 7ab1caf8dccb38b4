// Listing 6.21 shows the CUDA code that is emitted for the transpose of the case study (section 7.2), in which each thread copies two
// elements. This is the program that it is emitted from; its thread loops are `__by0` to `__y5` there, `d_a` is `d_in` here and
// `d_b` is `d_out`.
#include <optigpu.h>

void transpose(float *in, float *out, int W, int H) {
  __requires("A: int * int -> float, W_tiles: W % 32 == 0, H_tiles: H % 32 == 0");
  __reads("in ~> Matrix2(H, W, A)");
  __writes("out ~> Matrix2(W, H, fun i j -> A(j, i))");
  float* const d_in = __gmem_malloc2<float>(H, W);
  memcpy_host_to_device2(d_in, in, H, W);
  float* const d_out = __gmem_malloc2<float>(W, H);
  {
    kernel_launch(MSIZE2(exact_div(H, 32), exact_div(W, 32)), MSIZE2(16, 32), sizeof(float) * MSIZE2(32, 32));
    float* const tile = __smem_malloc2<float>(32, 32);
    kernel_setup_end();
    thread for (int by = 0; by < exact_div(H, 32); by++) {
      thread for (int bx = 0; bx < exact_div(W, 32); bx++) {
        thread for (int y = 0; y < 16; y++) {
          thread for (int x = 0; x < 32; x++) {
            for (int j = 0; j < 2; j++) {
              tile[DMINDEX2(exact_div(H, 32), exact_div(W, 32), by, bx)][j * 16 + y][x] = d_in[by * 32 + j * 16 + y][bx * 32 + x];
            }
          }
        }
        blocksync();
        thread for (int x = 0; x < 16; x++) {
          thread for (int y = 0; y < 32; y++) {
            for (int j = 0; j < 2; j++) {
              d_out[bx * 32 + j * 16 + x][by * 32 + y] = tile[DMINDEX2(exact_div(H, 32), exact_div(W, 32), by, bx)][y][j * 16 + x];
            }
          }
        }
      }
    }
    kernel_teardown_begin();
    __smem_free2(tile, 32, 32);
    kernel_kill();
  }
  memcpy_device_to_host2(out, d_out, W, H);
  gmem_free(d_out);
  gmem_free(d_in);
}
