// Exchanged through shared arrays of different types, which lie in the same bytes one after the other.
// PTX: st.shared | ld.shared | st.shared | ld.shared
#include <optigpu.h>

void shared_types(int G, float d[G][256]) {
  __requires("D: int * int -> float, G >= 0");
  __consumes("d ~> Matrix2Of(G, 256, GMem, D)");
  __produces("d ~> Matrix2Of(G, 256, GMem, fun b t -> D(b, (t + 3) % 256) + 2 * (255 - t))");
  kernel_launch(G, 256, 40000);
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
      __shared__ int u[10000];
      thread for (int t = 0; t < 256; t++)
        u[39 * t] = 2 * t;
      blocksync();
      thread for (int t = 0; t < 256; t++)
        d[b][t] = d[b][t] + u[39 * (255 - t)];
    }
  }
  kernel_teardown_begin();
  kernel_kill();
}
