// Exchanged through a shared array that is written by vectors and read cell by cell, and the other way round.
// PTX: st.shared | ld.shared ld.shared ld.shared ld.shared | ld.shared
#include <optigpu.h>

void shared_vectors(int G, float d[G][256]) {
  __requires("D: int * int -> float, G >= 0");
  __consumes("d ~> Matrix2Of(G, 256, GMem, D)");
  __produces("d ~> Matrix2Of(G, 256, GMem, fun b t -> 2 * D(b, t))");
  kernel_launch(G, 64, 2048);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {
    __shared__ float s[256];
    __shared__ float u[256];
    thread for (int t = 0; t < 64; t++) {
      float v[4];
      vload4(&v[0], &d[b][4 * t]);
      vstore4(&s[4 * t], &v[0]);
    }
    blocksync();
    thread for (int t = 0; t < 64; t++)
      for (int j = 0; j < 4; j++)
        u[64 * j + t] = 2.0f * s[64 * j + t];
    blocksync();
    thread for (int t = 0; t < 64; t++) {
      float v[4];
      vload4(&v[0], &u[4 * t]);
      vstore4(&d[b][4 * t], &v[0]);
    }
  }
  kernel_teardown_begin();
  kernel_kill();
}
