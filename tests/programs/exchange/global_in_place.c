// Exchanged through global memory in place, and kept in a register across the barrier that the overwriting needs.
// PTX: st.global | ld.global | st.global
#include <optigpu.h>

void global_in_place(int G, float d[G][256]) {
  __requires("D: int * int -> float, G >= 0");
  __consumes("d ~> Matrix2Of(G, 256, GMem, D)");
  __produces("d ~> Matrix2Of(G, 256, GMem, fun b t -> D(b, (t + 5) % 256) + 1)");
  kernel_launch(G, 256, 0);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {
    float* const x = __treg_malloc0<float>();
    thread for (int t = 0; t < 256; t++)
      d[b][t] += 1.0f;
    blocksync();
    thread for (int t = 0; t < 256; t++)
      x[DMINDEX1(256, t)] = d[b][(t + 5) % 256];
    blocksync();
    thread for (int t = 0; t < 256; t++)
      d[b][t] = x[DMINDEX1(256, t)];
  }
  kernel_teardown_begin();
  kernel_kill();
}
