// Exchanged through shared memory that the launch allocates, by threads that two phases divide differently.
// PTX: st.shared | ld.shared
#include <optigpu.h>

void shared_setup(int G, float d[G][16][16]) {
  __requires("D: int * int * int -> float, G >= 0");
  __consumes("d ~> Matrix3Of(G, 16, 16, GMem, D)");
  __produces("d ~> Matrix3Of(G, 16, 16, GMem, fun b i j -> D(b, j, i))");
  kernel_launch(G, 256, 2048);
  float* const s = __smem_malloc2<float>(16, 17);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {
    thread for (int i = 0; i < 16; i++)
      thread for (int j = 0; j < 16; j++)
        s[DMINDEX1(G, b)][i][j] = d[b][i][j];
    blocksync();
    thread for (int t = 0; t < 256; t++)
      d[b][t / 16][t % 16] = s[DMINDEX1(G, b)][t % 16][t / 16];
  }
  kernel_teardown_begin();
  __smem_free2(s, 16, 17);
  kernel_kill();
}
