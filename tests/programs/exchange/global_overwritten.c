// Exchanged through global memory: what a thread wrote is changed by another one before it reads it again.
// PTX: st.global | ld.global st.global | ld.global
#include <optigpu.h>

void global_overwritten(int G, float d[G][256], float e[G][256]) {
  __requires("D: int * int -> float, G >= 0");
  __consumes("d ~> Matrix2Of(G, 256, GMem, D), e ~> UninitMatrix2Of(G, 256, GMem)");
  __produces("d ~> Cells2Of(G, 256, GMem), e ~> Matrix2Of(G, 256, GMem, fun b t -> 2 * (D(b, t) + 1))");
  kernel_launch(G, 256, 0);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {
    thread for (int t = 0; t < 256; t++)
      d[b][t] = d[b][t] + 1.0f;
    blocksync();
    thread for (int t = 0; t < 256; t++)
      d[b][255 - t] = 2.0f * d[b][255 - t];
    blocksync();
    thread for (int t = 0; t < 256; t++)
      e[b][t] = d[b][t];
  }
  kernel_teardown_begin();
  kernel_kill();
}
