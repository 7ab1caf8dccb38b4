#include <optigpu.h>
void f(int g, int w, float a[g * 64][64], float c[g * 64][64]) {
  __requires("A: int * int -> float, 0 <= g, w == 64");
  __reads("a ~> Matrix2(g * 64, 64, A)");
  __writes("c ~> Matrix2(g * 64, 64, fun i j -> A(i, j))");
  float* const d_a = __gmem_malloc2<float>(g * 64, 64);
  float* const d_c = __gmem_malloc2<float>(g * 64, 64);
  memcpy_host_to_device2(d_a, a, g * 64, 64);
  kernel_launch(g * w, 64, 8192);
  kernel_setup_end();
  thread for (int i = 0; i < g * 64; i++) {
    #pragma pipeline 2
    for (int k = 0; k < 2; k++) {
      __shared__ float t[8][32];
      tile_load(t, d_a, i, 32 * k);
      pipeline_wait();
      thread for (int j = 0; j < w; j++) if (j < 32) d_c[i][32 * k + j] = t[0][j];
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(c, d_c, g * 64, 64);
  gmem_free(d_a);
  gmem_free(d_c);
}
