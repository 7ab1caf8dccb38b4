// A device function copies no tiles: it may get parts of arrays, of which the copy would know neither place nor sizes.
// expect: UNSUPPORTED[OG300] tile_load(t, a, k, 0)
// mutate: "  tile_load(t, a, k, 0);\n  blocksync();\n" -> "  thread for (int l = 0; l < 64; l++) t[0][l] = a[k][l];\n"
//   => VERIFIED
//   run: clean

#include <optigpu.h>
__device__ void get(int n, int k, float t[1][64], float a[n][64]) {
  __requires("A: int * int -> float, 0 <= k && k < n");
  __preserves("ThreadsCtx(64)");
  __reads("KernelParams(_, 64, _)");
  __reads("a ~> Matrix2Of(n, 64, GMem, A)");
  __consumes("for i in 0..1 -> for j in 0..64 -> &t[i][j] ~>[SMem] UninitCell");
  __produces("for i in 0..1 -> desync_for j in ..64 -> &t[i][j] ~~>[SMem] A(k + i, j)");
  tile_load(t, a, k, 0);
  blocksync();
}
void f(int n, float a[n][64], float c[n][64]) {
  __requires("A: int * int -> float, 1 <= n");
  __reads("a ~> Matrix2(n, 64, A)");
  __writes("c ~> Matrix2(n, 64, fun i j -> A(i, j))");
  float* const d_a = __gmem_malloc2<float>(n, 64);
  float* const d_c = __gmem_malloc2<float>(n, 64);
  memcpy_host_to_device2(d_a, a, n, 64);
  kernel_launch(n, 64, 256);
  kernel_setup_end();
  thread for (int b = 0; b < n; b++) {
    __shared__ float s[1][64];
    get(n, b, s, d_a);
    thread for (int j = 0; j < 64; j++) d_c[b][j] = s[0][j];
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(c, d_c, n, 64);
  gmem_free(d_a);
  gmem_free(d_c);
}
