// Exchanged through global memory within each warp, in a loop, with the warp's own barriers.
// PTX: st.global ( st.global / ld.global ld.global st.global / )+
#include <optigpu.h>

void warp_global(int G, int m, float d[G][m][4][32], float s[G][4][32], float e[G][4][32]) {
  __requires("D: int * int * int * int -> float, G >= 0, m >= 0");
  __reads("d ~> Matrix4Of(G, m, 4, 32, GMem, D)");
  __consumes("s ~> UninitMatrix3Of(G, 4, 32, GMem), e ~> UninitMatrix3Of(G, 4, 32, GMem)");
  __produces("s ~> UninitMatrix3Of(G, 4, 32, GMem)");
  __produces("e ~> Matrix3Of(G, 4, 32, GMem, fun b w l -> Sum(k in 0..m, D(b, k, w, 31 - l)))");
  kernel_launch(G, 128, 0);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++)
    thread for (int w = 0; w < 4; w++) {
      thread for (int l = 0; l < 32; l++)
        e[b][w][l] = 0.0f;
      for (int k = 0; k < m; k++) {
        thread for (int l = 0; l < 32; l++)
          s[b][w][l] = d[b][k][w][l];
        warpsync();
        thread for (int l = 0; l < 32; l++)
          e[b][w][l] += s[b][w][31 - l];
        warpsync();
      }
    }
  kernel_teardown_begin();
  kernel_kill();
}
