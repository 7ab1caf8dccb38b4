// Exchanged through shared arrays: one function of the block turns one into the other, one of a thread adds up three cells.
// PTX: st.shared | ld.shared st.shared | ld.shared ld.shared ld.shared
#include <optigpu.h>

__device__ void rotate(int n, float s[n], float r[n]) {
  __requires("A: int -> float");
  __preserves("ThreadsCtx(n)");
  __reads("KernelParams(_, n, _), desync_for t in ..n -> &s[t] ~~>[SMem] A(t)");
  __writes("desync_for t in ..n -> &r[t] ~~>[SMem] A(n - 1 - t)");
  blocksync();
  thread for (int t = 0; t < n; t++)
    r[t] = s[n - 1 - t];
}

__device__ float total(int n, float p[n]) {
  __requires("A: int -> float");
  __reads("p ~> Matrix1Of(n, SMem, A)");
  __ensures("_Res == Sum(k in 0..n, A(k))");
  float v = 0.0f;
  for (int k = 0; k < n; k++)
    v += p[k];
  return v;
}

void shared_calls(int G, float d[G][256]) {
  __requires("D: int * int -> float, G >= 0");
  __consumes("d ~> Matrix2Of(G, 256, GMem, D)");
  __produces("d ~> Matrix2Of(G, 256, GMem, fun b t -> t < 254 ? Sum(k in 0..3, D(b, 255 - (t + k))) : 0)");
  kernel_launch(G, 256, 2048);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {
    __shared__ float s[256];
    __shared__ float r[256];
    thread for (int t = 0; t < 256; t++)
      s[t] = d[b][t];
    rotate(256, s, r);
    blocksync();
    thread for (int t = 0; t < 256; t++)
      if (t < 254) { d[b][t] = total(3, &r[t]); } else { d[b][t] = 0.0f; }
  }
  kernel_teardown_begin();
  kernel_kill();
}
