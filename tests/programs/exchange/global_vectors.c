// Exchanged through global memory, written by vectors and read cell by cell.
// PTX: st.global | ld.global ld.global ld.global ld.global
#include <optigpu.h>

void global_vectors(int G, float d[G][256], float e[G][256]) {
  __requires("D: int * int -> float, G >= 0");
  __consumes("d ~> Matrix2Of(G, 256, GMem, D), e ~> UninitMatrix2Of(G, 256, GMem)");
  __produces("d ~> Cells2Of(G, 256, GMem), e ~> Matrix2Of(G, 256, GMem, fun b t -> 2 * D(b, 255 - t))");
  kernel_launch(G, 64, 0);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {
    thread for (int t = 0; t < 64; t++) {
      float v[4];
      vload4(&v[0], &d[b][4 * t]);
      for (int j = 0; j < 4; j++)
        v[j] = 2.0f * v[j];
      vstore4(&d[b][4 * t], &v[0]);
    }
    blocksync();
    thread for (int t = 0; t < 64; t++)
      for (int j = 0; j < 4; j++)
        e[b][4 * t + j] = d[b][255 - (4 * t + j)];
  }
  kernel_teardown_begin();
  kernel_kill();
}
