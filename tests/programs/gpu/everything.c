#include <optigpu.h>
#define TILE 32

__DECL(shared_mem, "MemType -> Prop");

void start(int blocks, int threads, int bytes) {
  __consumes("HostCtx");
  __produces("KernelSetupCtx, KernelParams(blocks, threads, bytes), SMemAllowance(bytes)");
  __admitted();
}

void blocksync() {
  __requires("K: HProp, size: int, first: int");
  __preserves("ThreadsCtx(first ..+ size)");
  __reads("KernelParams(_, size, _)");
  __consumes("K");
  __produces("Sync(block_sync_mem, K)");
  __admitted();
}

template <typename T> T* gmem_malloc1(int n) {
  __produces("for i in 0..n -> &_Res[i] ~>[GMem] UninitCell");
  __produces("Free(_Res, for i in 0..n -> &_Res[i] ~>[GMem] UninitCell)");
  __preserves("HostCtx");
  __admitted();
}

__device__ void shared_sync(int size, float* p) {
  __requires("H: HProp, M: MemType, v: float, first: int");
  __preserves("ThreadsCtx(first ..+ size), p ~~>[M] v");
  __consumes("H");
  __produces("Sync(shared_mem, H)");
  __admitted();
}

__GHOST(everywhere) {
  __requires("n: int, H: int -> HProp");
  __consumes("for i in 0..n -> H(i)");
  __produces("for i in 0..n -> H(i)");
}

__device__ float twice(float x) { __ensures("_Res == 2 * x"); return 2.0f * x; }

void transpose(float *in, float *out, int W, int H) {
  __requires("A: int * int -> float, W_div: W % 32 == 0, H_div: H % 32 == 0");
  __reads("in ~> Matrix2(H, W, A)");
  __writes("out ~> Matrix2(W, H, fun i j -> A(j, i))");
  __preserves("HostCtx");
  float* const d_in = __gmem_malloc2<float>(H,W);
  memcpy_host_to_device2(d_in, in, H, W);
  float* const d_out = gmem_malloc2<float>(W,H);
  {
    kernel_start((W/32)*(H/32), 32 * 32, sizeof(float) * 32 * 32);
    float* const tile = __smem_malloc2<float>(32,32);
    kernel_setup_end();
    thread for (int by = 0; by < H/32; by++) {
      thread for (int bx = 0; bx < W/32; bx++) {
        int* const xs = __treg_malloc0<int>();
        __shared__ float block[TILE][TILE];
        thread for (int y = 0; y < 32; y++) {
          __xwrites("&tile[DMINDEX2(H/32, W/32, by, bx)][y][0] ~~>[SMem] 0");
          thread for (int x = 0; x < 32; x++) {
            float acc[4];
            acc[0] = __gmem_get(&d_in[by*32+y][bx*32+x]);
            __smem_set(&tile[DMINDEX2(H/32,W/32,by,bx)][y][x], twice(acc[0]));
            block[y][x] = acc[0];
            xs[DMINDEX2(32, 32, y, x)] = 3;
            acc[1] = block[y][x] = 0.5f;
            vload4(&acc[0], &d_in[by*32+y][bx*32]);
            vstore2(&block[y][2 * x], &acc[2]);
          }
        }
        blocksync();
        __with("H := desync_for y in ..32 -> for x in ..32 -> &block[y][x] ~>[SMem] Cell");
        magic_barrier();
        warpsync();
        int* const ys = __treg_malloc0<int>();
        thread for (int w = 0; w < 32; w++) {
          shfl_down(&ys[DMINDEX2(32, 32, w, 0)], &xs[DMINDEX2(32, 32, w, 0)], 16);
          shfl_up(&ys[32 * w], &xs[32 * w], 1);
          shfl_xor(&ys[32 * w], &xs[32 * w], 1);
          shfl(&ys[32 * w], &xs[32 * w], 0);
        }
        magic thread for (int y = 0; y < 32; y++) {
          for (int s = 128; s > 0; s >>= 1) {
            thread for (int x = 0; x < 32; x++) {
              d_out[bx*32+y][by*32+x] = tile[DMINDEX2(H/32,W/32,by,bx)][x][y];
            }
          }
        }
      }
    }
    kernel_teardown_begin();
    kernel_teardown_sync();
    __smem_free2(tile, 32, 32);
    kernel_kill();
  }
  memcpy_device_to_host2(out, d_out, W, H);
  gmem_free(d_out);
  gmem_free(d_in);
}

void permissions(int N, float *p) {
  __requires("v: float, b: int, t: int, r: Range, W: int -> float");
  __consumes("x: for i in 0..N -> &p[i] ~~>[GMem] v");
  __consumes("desync_for i in ..N -> If(i > b, &p[i] ~~>[GMem] W(i)) * (&p[i + N] ~~>[GMem] W(i + 1))");
  __preserves("ThreadsCtx(t ..+ N), KernelParams(1, 2, 3), SMemAllowance(sizeof(float) * N), HostCtx");
  __produces("Free(p, p ~> UninitMatrix1Of(N, GMem)), p ~> Matrix1Of(N, GMem, fun i -> v +. 1.5f *. v /. 2)");
  __ensures("forall (k: int) (_: k >= 0 && !(k == 3)) -> (k << 2) / 3 % 5 >= -1 ==> k != 4 || true");
  __ensures("Sum(i in 0..N, j in i..N, i * j) == Prod(k in ..3, k) + Max(k in 0..N, 0 - k) - Min(k in 0..+N, k)");
  __ensures("Any(k in 0..N, k == b), forall k in 0..N -> k < N, in_range(b, r)");
  __admitted();
}
