// Exchanged through global memory by a tree: the sum of each row.
// PTX: ( ld.global ld.global st.global | )+ ld.global
#include <optigpu.h>

void global_tree(int G, float d[G][256], float e[G]) {
  __requires("D: int * int -> float, G >= 0");
  __consumes("d ~> Matrix2Of(G, 256, GMem, D), e ~> UninitMatrix1Of(G, GMem)");
  __produces("d ~> UninitMatrix2Of(G, 256, GMem), e ~> Matrix1Of(G, GMem, fun b -> Sum(k in 0..256, D(b, k)))");
  kernel_launch(G, 256, 0);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {
    for (int h = 128; h > 0; h >>= 1) {
      thread for (int t = 0; t < 256; t++)
        if (t < h) d[b][t] += d[b][t + h];
      blocksync();
    }
    thread for (int t = 0; t < 256; t++)
      if (t == 0) e[b] = d[b][0];
  }
  kernel_teardown_begin();
  kernel_kill();
}
