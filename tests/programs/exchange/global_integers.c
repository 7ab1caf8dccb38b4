// Exchanged through global memory: integers of 32 and of 64 bits.
// PTX: ld.global | ld.global st.global | st.global
#include <optigpu.h>

void global_integers(int G, int d[G][256], int64_t e[G][256]) {
  __requires("D: int * int -> int, E: int * int -> int, G >= 0");
  __consumes("d ~> Matrix2Of(G, 256, GMem, D), e ~> Matrix2Of(G, 256, GMem, E)");
  __produces("d ~> Matrix2Of(G, 256, GMem, fun b t -> E(b, 255 - t) > 0 ? 1 : 2), e ~> Matrix2Of(G, 256, GMem, fun b t -> D(b, (t + 7) % 256))");
  kernel_launch(G, 256, 0);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {
    int* const x = __treg_malloc0<int>();
    thread for (int t = 0; t < 256; t++)
      x[DMINDEX1(256, t)] = e[b][255 - t] > 0 ? 1 : 2;
    blocksync();
    thread for (int t = 0; t < 256; t++)
      e[b][t] = d[b][(t + 7) % 256];
    blocksync();
    thread for (int t = 0; t < 256; t++)
      d[b][t] = x[DMINDEX1(256, t)];
  }
  kernel_teardown_begin();
  kernel_kill();
}
