// Exchanged through global memory: integers of 32 and of 64 bits.
// PTX: st.global | ld.global st.global | ld.global st.global
#include <optigpu.h>

void global_integers(int G, int d[G][256], int64_t e[G][256]) {
  __requires("D: int * int -> int, G >= 0");
  __consumes("d ~> Matrix2Of(G, 256, GMem, D), e ~> UninitMatrix2Of(G, 256, GMem)");
  __produces("d ~> Matrix2Of(G, 256, GMem, fun b t -> D(b, (t + 7) % 256) > 0 ? 1 : 2)");
  __produces("e ~> Matrix2Of(G, 256, GMem, fun b t -> D(b, (262 - t) % 256) > 0 ? 1 : 2)");
  kernel_launch(G, 256, 0);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {
    thread for (int t = 0; t < 256; t++)
      e[b][t] = d[b][t];
    blocksync();
    thread for (int t = 0; t < 256; t++)
      d[b][t] = e[b][(t + 7) % 256] > 0 ? 1 : 2;
    blocksync();
    thread for (int t = 0; t < 256; t++)
      e[b][t] = d[b][255 - t];
  }
  kernel_teardown_begin();
  kernel_kill();
}
