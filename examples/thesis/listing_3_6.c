// Listing 3.6: the reference CUDA code, as a program of ours. Its blocks have 32 x 16 threads, so each thread copies two elements,
// which the printed listing has in the first of its two assignments only (`threadIdx.y * 2 + i`). It also says
// `tile[threadIdx.y][threadIdx.x]` where the tile is read, which would copy a tile without transposing it.
#include <optigpu.h>

void transpose_host(float *in, float *out, int W, int H) {
  __requires("A: int * int -> float, W_tiles: W % 32 == 0, H_tiles: H % 32 == 0");
  __reads("in ~> Matrix2(H, W, A)");
  __writes("out ~> Matrix2(W, H, fun i j -> A(j, i))");
  float* const d_in = __gmem_malloc2<float>(H, W);
  float* const d_out = __gmem_malloc2<float>(W, H);
  memcpy_host_to_device2(d_in, in, H, W);
  kernel_launch((H/32) * (W/32), 16 * 32, 32*32*sizeof(float));
  kernel_setup_end();
  thread for (int by = 0; by < H/32; by++) { // blockIdx.y
    thread for (int bx = 0; bx < W/32; bx++) { // blockIdx.x
      __shared__ float tile[32][32];
      thread for (int y = 0; y < 16; y++) { // threadIdx.y
        thread for (int x = 0; x < 32; x++) { // threadIdx.x
          for (int i = 0; i < 2; i++) {
            tile[y * 2 + i][x] = d_in[by * 32 + y * 2 + i][bx * 32 + x];
          }
        }
      }
      __syncthreads();
      thread for (int y = 0; y < 16; y++) { // threadIdx.y
        thread for (int x = 0; x < 32; x++) { // threadIdx.x
          for (int i = 0; i < 2; i++) {
            d_out[bx * 32 + y * 2 + i][by * 32 + x] = tile[x][y * 2 + i];
          }
        }
      }
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(out, d_out, W, H);
  gmem_free(d_in);
  gmem_free(d_out);
}
