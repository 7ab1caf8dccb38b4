// Listing 3.11: the final transpose, of which CUDA is emitted. Names of functions with a variable number of arguments end with that
// number here: DMINDEX2, __smem_free2. Device code accesses `d_in` and `d_out`, and `d_out` is copied back (the printed listing says
// `in` and `out` in the kernel, and copies `d_in` twice).
#include <optigpu.h>

void transpose(float *in, float *out, int W, int H) {
  __requires("A: int * int -> float, W_tiles: W % 32 == 0, H_tiles: H % 32 == 0");
  __reads("in ~> Matrix2(H, W, A)");
  __writes("out ~> Matrix2(W, H, fun i j -> A(j, i))");
  float* const d_in = __gmem_malloc2<float>(H,W);
  memcpy_host_to_device2(d_in, in, H, W);
  float* const d_out = __gmem_malloc2<float>(W,H);
  {
    kernel_launch((W/32)*(H/32), 32 * 32, sizeof(float) * 32 * 32);
    float* const tile = __smem_malloc2<float>(32,32);
    kernel_setup_end();
    thread for (int by = 0; by < H/32; by++) {
      thread for (int bx = 0; bx < W/32; bx++) {
        thread for (int y = 0; y < 32; y++) {
          thread for (int x = 0; x < 32; x++) {
            tile[DMINDEX2(H/32,W/32,by,bx)][y][x]
              = d_in[by*32+y][bx*32+x];
          }
        }
        blocksync();
        thread for (int y = 0; y < 32; y++) {
          thread for (int x = 0; x < 32; x++) {
            d_out[bx*32+y][by*32+x]
              = tile[DMINDEX2(H/32,W/32,by,bx)][x][y];
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
