// Exchanged between two kernels through global memory; the second divides its threads otherwise.
// PTX: st.global ; st.global
#include <optigpu.h>

void global_two_kernels(int G, float d[G][256], float e[G][256]) {
  __requires("D: int * int -> float, G >= 0");
  __consumes("d ~> Matrix2Of(G, 256, GMem, D), e ~> UninitMatrix2Of(G, 256, GMem)");
  __produces("d ~> Cells2Of(G, 256, GMem), e ~> Matrix2Of(G, 256, GMem, fun b t -> D(b, 255 - t) + 1)");
  kernel_launch(G, 256, 0);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++)
    thread for (int t = 0; t < 256; t++)
      d[b][t] += 1.0f;
  kernel_teardown_begin();
  kernel_kill();
  kernel_launch(G * 4, 64, 0);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++)
    thread for (int q = 0; q < 4; q++)
      thread for (int t = 0; t < 64; t++)
        e[b][64 * q + t] = d[b][255 - (64 * q + t)];
  kernel_teardown_begin();
  kernel_kill();
}
