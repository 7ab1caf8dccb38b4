// Exchanged through global memory: every thread writes a cell that another one reads after the barrier.
// PTX: st.global | ld.global
#include <optigpu.h>

void global_reverse(int G, float d[G][256], float e[G][256]) {
  __requires("D: int * int -> float, G >= 0");
  __consumes("d ~> Matrix2Of(G, 256, GMem, D), e ~> UninitMatrix2Of(G, 256, GMem)");
  __produces("d ~> Cells2Of(G, 256, GMem), e ~> Matrix2Of(G, 256, GMem, fun b t -> 2 * D(b, 255 - t))");
  kernel_launch(G, 256, 0);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {
    thread for (int t = 0; t < 256; t++)
      d[b][t] = 2.0f * d[b][t];
    blocksync();
    thread for (int t = 0; t < 256; t++)
      e[b][t] = d[b][255 - t];
  }
  kernel_teardown_begin();
  kernel_kill();
}
