// Exchanged through registers by a tree within each warp, then through a shared array between the warps.
// PTX: shfl shfl shfl shfl shfl st.shared | ld.shared
#include <optigpu.h>

__device__ void sum_warp(float x[32], float y[32]) {
  __requires("A: int -> float, t: int");
  __preserves("ThreadsCtx(t ..+ 32)");
  __consumes("desync_for l in ..32 -> &x[l] ~~>[TReg] A(l)");
  __produces("desync_for l in ..32 -> If(l == 0, &x[l] ~~>[TReg] Sum(k in 0..32, A(k))) * If(l > 0, &x[l] ~>[TReg] Cell)");
  __preserves("desync_for l in ..32 -> &y[l] ~>[TReg] UninitCell");
  for (int d = 16; d > 0; d >>= 1) {
    shfl_down(&y[0], &x[0], d);
    thread for (int l = 0; l < 32; l++)
      if (l < d) x[l] += y[l];
  }
}

void warp_tree(int G, float d[G][4][32], float e[G][128]) {
  __requires("D: int * int * int -> float, G >= 0");
  __reads("d ~> Matrix3Of(G, 4, 32, GMem, D)");
  __consumes("e ~> UninitMatrix2Of(G, 128, GMem)");
  __produces("e ~> Matrix2Of(G, 128, GMem, fun b t -> Sum(w in 0..4, Sum(l in 0..32, D(b, w, l))))");
  kernel_launch(G, 128, 64);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {
    __shared__ float s[4];
    float* const x = __treg_malloc0<float>();
    float* const y = __treg_malloc0<float>();
    thread for (int w = 0; w < 4; w++) {
      thread for (int l = 0; l < 32; l++)
        x[DMINDEX2(4, 32, w, l)] = d[b][w][l];
      sum_warp(&x[DMINDEX2(4, 32, w, 0)], &y[DMINDEX2(4, 32, w, 0)]);
      thread for (int l = 0; l < 32; l++)
        if (l == 0) s[w] = x[DMINDEX2(4, 32, w, l)];
    }
    blocksync();
    thread for (int t = 0; t < 128; t++) {
      float v = 0.0f;
      for (int w = 0; w < 4; w++)
        v += s[w];
      e[b][t] = v;
    }
  }
  kernel_teardown_begin();
  kernel_kill();
}
