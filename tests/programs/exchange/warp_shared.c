// Exchanged through a shared array within each warp, whose own barrier is enough.
// PTX: st.shared / ld.shared
#include <optigpu.h>

void warp_shared(int G, float d[G][4][32]) {
  __requires("D: int * int * int -> float, G >= 0");
  __consumes("d ~> Matrix3Of(G, 4, 32, GMem, D)");
  __produces("d ~> Matrix3Of(G, 4, 32, GMem, fun b w l -> D(b, w, 31 - l))");
  kernel_launch(G, 128, 512);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {
    __shared__ float s[4][32];
    thread for (int w = 0; w < 4; w++) {
      thread for (int l = 0; l < 32; l++)
        s[w][l] = d[b][w][l];
      warpsync();
      thread for (int l = 0; l < 32; l++)
        d[b][w][l] = s[w][31 - l];
    }
  }
  kernel_teardown_begin();
  kernel_kill();
}
