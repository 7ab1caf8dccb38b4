// Exchanged through global memory in a loop: an array is complete before it is read, and read before it is overwritten.
// PTX: st.global ( st.global | ld.global ld.global st.global | )+
#include <optigpu.h>

void global_loop(int G, int m, float d[G][m][256], float s[G][256], float e[G][256]) {
  __requires("D: int * int * int -> float, G >= 0, m >= 0");
  __reads("d ~> Matrix3Of(G, m, 256, GMem, D)");
  __consumes("s ~> UninitMatrix2Of(G, 256, GMem), e ~> UninitMatrix2Of(G, 256, GMem)");
  __produces("s ~> UninitMatrix2Of(G, 256, GMem), e ~> Matrix2Of(G, 256, GMem, fun b t -> Sum(k in 0..m, D(b, k, 255 - t)))");
  kernel_launch(G, 256, 0);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {
    thread for (int t = 0; t < 256; t++)
      e[b][t] = 0.0f;
    for (int k = 0; k < m; k++) {
      thread for (int t = 0; t < 256; t++)
        s[b][t] = d[b][k][t];
      blocksync();
      thread for (int t = 0; t < 256; t++)
        e[b][t] += s[b][255 - t];
      blocksync();
    }
  }
  kernel_teardown_begin();
  kernel_kill();
}
