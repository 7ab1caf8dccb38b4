// Exchanged through shared arrays that are too large together, and lie in the same bytes one after the other.
// PTX: st.shared | ld.shared st.global | ld.global st.shared | ld.shared
#include <optigpu.h>

void shared_dynamic(int G, float d[G][256]) {
  __requires("D: int * int -> float, G >= 0");
  __consumes("d ~> Matrix2Of(G, 256, GMem, D)");
  __produces("d ~> Matrix2Of(G, 256, GMem, fun b t -> D(b, (255 - t + 3) % 256))");
  kernel_launch(G, 256, 70000);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {
    {
      __shared__ float s[10000];
      thread for (int t = 0; t < 256; t++)
        s[39 * t] = d[b][t];
      blocksync();
      thread for (int t = 0; t < 256; t++)
        d[b][t] = s[39 * ((t + 3) % 256)];
    }
    blocksync();
    {
      __shared__ float u[5000];
      thread for (int t = 0; t < 256; t++)
        u[19 * t] = d[b][t];
      blocksync();
      thread for (int t = 0; t < 256; t++)
        d[b][t] = u[19 * (255 - t)];
    }
  }
  kernel_teardown_begin();
  kernel_kill();
}
