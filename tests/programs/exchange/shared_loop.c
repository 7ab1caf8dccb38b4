// Exchanged through a shared array in a loop: it is complete before it is read, and read before it is overwritten.
// PTX: ( st.shared | ld.shared | )+
#include <optigpu.h>

void shared_loop(int G, int m, float d[G][m][256], float e[G][256]) {
  __requires("D: int * int * int -> float, G >= 0, m >= 0");
  __reads("d ~> Matrix3Of(G, m, 256, GMem, D)");
  __consumes("e ~> UninitMatrix2Of(G, 256, GMem)");
  __produces("e ~> Matrix2Of(G, 256, GMem, fun b t -> Sum(k in 0..m, D(b, k, 255 - t)))");
  kernel_launch(G, 256, 1024);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {
    __shared__ float s[256];
    float* const x = __treg_malloc0<float>();
    thread for (int t = 0; t < 256; t++)
      x[DMINDEX1(256, t)] = 0.0f;
    for (int k = 0; k < m; k++) {
      thread for (int t = 0; t < 256; t++)
        s[t] = d[b][k][t];
      blocksync();
      thread for (int t = 0; t < 256; t++)
        x[DMINDEX1(256, t)] += s[255 - t];
      blocksync();
    }
    thread for (int t = 0; t < 256; t++)
      e[b][t] = x[DMINDEX1(256, t)];
  }
  kernel_teardown_begin();
  kernel_kill();
}
