// Exchanged through global memory: one thread writes what all threads of the block read, and branch on together.
// PTX: st.global | ld.global | ld.global st.global | ld.global | ld.global st.global
#include <optigpu.h>

void global_one_for_all(int G, float d[G][256]) {
  __requires("D: int * int -> float, G >= 0");
  __consumes("d ~> Matrix2Of(G, 256, GMem, D)");
  __produces("d ~> Cells2Of(G, 256, GMem)");
  kernel_launch(G, 256, 0);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {
    thread for (int t = 0; t < 256; t++)
      if (t == 77) d[b][t] = 3.0f * d[b][t];
    blocksync();
    const float v = d[b][77];
    blocksync();
    if (v > 0.0f) {
      thread for (int t = 0; t < 256; t++)
        d[b][t] = d[b][t] + v;
      blocksync();
    }
    const float w = d[b][200];
    blocksync();
    thread for (int t = 0; t < 256; t++)
      d[b][t] = d[b][t] - w;
  }
  kernel_teardown_begin();
  kernel_kill();
}
