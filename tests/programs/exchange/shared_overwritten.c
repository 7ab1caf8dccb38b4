// Exchanged through a shared array: what a thread wrote is changed by another one before it reads it again.
// PTX: st.shared | ld.shared st.shared | ld.shared
#include <optigpu.h>

void shared_overwritten(int G, float d[G][256]) {
  __requires("D: int * int -> float, G >= 0");
  __consumes("d ~> Matrix2Of(G, 256, GMem, D)");
  __produces("d ~> Matrix2Of(G, 256, GMem, fun b t -> 2 * D(b, t))");
  kernel_launch(G, 256, 1024);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {
    __shared__ float s[256];
    thread for (int t = 0; t < 256; t++)
      s[t] = d[b][t];
    blocksync();
    thread for (int t = 0; t < 256; t++)
      s[255 - t] = 2.0f * s[255 - t];
    blocksync();
    thread for (int t = 0; t < 256; t++)
      d[b][t] = s[t];
  }
  kernel_teardown_begin();
  kernel_kill();
}
