// Exchanged through a shared array by a tree, in a function that the block calls together.
// PTX: st.shared ( | ld.shared ld.shared st.shared )+ | ld.shared
#include <optigpu.h>

__device__ void sum_block(float s[256]) {
  __requires("A: int -> float");
  __preserves("ThreadsCtx(256)");
  __reads("KernelParams(_, 256, _)");
  __consumes("desync_for t in ..256 -> &s[t] ~~>[SMem] A(t)");
  __produces("&s[0] ~~>[SMem] Sum(k in 0..256, A(k)), for t in 1..256 -> &s[t] ~>[SMem] Cell");
  for (int h = 128; h > 0; h >>= 1) {
    blocksync();
    thread for (int t = 0; t < 256; t++)
      if (t < h) s[t] += s[t + h];
  }
  blocksync();
}

void shared_tree(int G, float d[G][256]) {
  __requires("D: int * int -> float, G >= 0");
  __consumes("d ~> Matrix2Of(G, 256, GMem, D)");
  __produces("d ~> Matrix2Of(G, 256, GMem, fun b t -> Sum(k in 0..256, D(b, k)))");
  kernel_launch(G, 256, 1024);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {
    __shared__ float s[256];
    thread for (int t = 0; t < 256; t++)
      s[t] = d[b][t];
    sum_block(s);
    thread for (int t = 0; t < 256; t++)
      d[b][t] = s[0];
  }
  kernel_teardown_begin();
  kernel_kill();
}
