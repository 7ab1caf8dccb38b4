// Exchanged through registers: all four shuffles, one after the other.
// PTX: shfl shfl shfl shfl
#include <optigpu.h>

void warp_shuffles(int G, float d[G][4][32], float e[G][4][4][32]) {
  __requires("D: int * int * int -> float, G >= 0");
  __reads("d ~> Matrix3Of(G, 4, 32, GMem, D)");
  __consumes("e ~> UninitMatrix4Of(G, 4, 4, 32, GMem)");
  __produces("e ~> Cells4Of(G, 4, 4, 32, GMem)");
  kernel_launch(G, 128, 0);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {
    float* const x = __treg_malloc0<float>();
    float* const y = __treg_malloc0<float>();
    thread for (int w = 0; w < 4; w++) {
      thread for (int l = 0; l < 32; l++)
        x[DMINDEX2(4, 32, w, l)] = d[b][w][l];
      shfl_down(&y[DMINDEX2(4, 32, w, 0)], &x[DMINDEX2(4, 32, w, 0)], 3);
      thread for (int l = 0; l < 32; l++)
        e[b][0][w][l] = y[DMINDEX2(4, 32, w, l)];
      shfl_up(&y[DMINDEX2(4, 32, w, 0)], &x[DMINDEX2(4, 32, w, 0)], 5);
      thread for (int l = 0; l < 32; l++)
        e[b][1][w][l] = y[DMINDEX2(4, 32, w, l)];
      shfl_xor(&y[DMINDEX2(4, 32, w, 0)], &x[DMINDEX2(4, 32, w, 0)], 8);
      thread for (int l = 0; l < 32; l++)
        e[b][2][w][l] = y[DMINDEX2(4, 32, w, l)];
      shfl(&y[DMINDEX2(4, 32, w, 0)], &x[DMINDEX2(4, 32, w, 0)], 17);
      thread for (int l = 0; l < 32; l++)
        e[b][3][w][l] = y[DMINDEX2(4, 32, w, l)];
    }
  }
  kernel_teardown_begin();
  kernel_kill();
}
