// Exchanged through two halves of a shared array in turns: one barrier an iteration.
// PTX: st.shared | ( ld.shared st.shared | )+ ld.shared |
#include <optigpu.h>

void shared_double_buffer(int G, float d[G][4][64], float e[G][64]) {
  __requires("D: int * int * int -> float, G >= 0");
  __reads("d ~> Matrix3Of(G, 4, 64, GMem, D)");
  __consumes("e ~> UninitMatrix2Of(G, 64, GMem)");
  __produces("e ~> Matrix2Of(G, 64, GMem, fun b t -> Sum(k in 0..4, D(b, k, 63 - t)))");
  kernel_launch(G, 64, 512);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {
    __shared__ float s[2][64];
    float* const x = __treg_malloc0<float>();
    thread for (int t = 0; t < 64; t++) {
      x[DMINDEX1(64, t)] = 0.0f;
      s[0][t] = d[b][0][t];
    }
    blocksync();
    for (int k = 0; k < 4; k++) {
      thread for (int t = 0; t < 64; t++)
        x[DMINDEX1(64, t)] += s[k % 2][63 - t];
      if (k + 1 < 4)
        thread for (int t = 0; t < 64; t++)
          s[(k + 1) % 2][t] = d[b][k + 1][t];
      blocksync();
    }
    thread for (int t = 0; t < 64; t++)
      e[b][t] = x[DMINDEX1(64, t)];
  }
  kernel_teardown_begin();
  kernel_kill();
}
