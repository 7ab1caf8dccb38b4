// Exchanged through global memory by device functions that write and read through their parameters.
// PTX: st.global st.global | ld.global ld.global
#include <optigpu.h>

__device__ void twice(int n, float p[n]) {
  __requires("A: int -> float");
  __consumes("p ~> Matrix1Of(n, GMem, A)");
  __produces("p ~> Matrix1Of(n, GMem, fun k -> 2 * A(k))");
  for (int k = 0; k < n; k++)
    p[k] = 2.0f * p[k];
}

__device__ float total(int n, float p[n]) {
  __requires("A: int -> float");
  __reads("p ~> Matrix1Of(n, GMem, A)");
  __ensures("_Res == Sum(k in 0..n, A(k))");
  float v = 0.0f;
  for (int k = 0; k < n; k++)
    v += p[k];
  return v;
}

void global_calls(int G, float d[G][128][2], float e[G][128]) {
  __requires("D: int * int * int -> float, G >= 0");
  __consumes("d ~> Matrix3Of(G, 128, 2, GMem, D), e ~> UninitMatrix2Of(G, 128, GMem)");
  __produces("d ~> Cells3Of(G, 128, 2, GMem), e ~> Matrix2Of(G, 128, GMem, fun b t -> Sum(k in 0..2, 2 * D(b, 127 - t, k)))");
  kernel_launch(G, 128, 0);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {
    thread for (int t = 0; t < 128; t++)
      twice(2, d[b][t]);
    blocksync();
    thread for (int t = 0; t < 128; t++)
      e[b][t] = total(2, d[b][127 - t]);
  }
  kernel_teardown_begin();
  kernel_kill();
}
