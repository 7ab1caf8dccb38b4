// Exchanged through shared arrays of integers: small ones, and those that say where to read.
// PTX: st.shared st.shared | ld.shared st.shared | ld.shared
#include <optigpu.h>

void shared_integers(int G, int d[G][256]) {
  __requires("D: int * int -> int, G >= 0");
  __consumes("d ~> Matrix2Of(G, 256, GMem, D)");
  __produces("d ~> Matrix2Of(G, 256, GMem, fun b t -> D(b, 255 - t) > 3 ? 1 : 0)");
  kernel_launch(G, 256, 2048);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {
    __shared__ int s[256];
    __shared__ int8_t c[256];
    thread for (int t = 0; t < 256; t++) {
      s[t] = d[b][t];
      c[t] = 0;
    }
    blocksync();
    thread for (int t = 0; t < 256; t++)
      if (s[255 - t] > 3) c[t] = 1;
    blocksync();
    thread for (int q = 0; q < 8; q++)
      thread for (int l = 0; l < 32; l++)
        d[b][32 * q + l] = c[32 * q + l];
  }
  kernel_teardown_begin();
  kernel_kill();
}
