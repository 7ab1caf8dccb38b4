// After its last iteration, a loop reads a conditional bound once more.
// expect: VERIFIED
// mutate: "    blocksync(); // after\n" -> "" => REFUTED[OG342] n[t] = 100;

#include <optigpu.h>
#include <optigpu.h>
void f(int B, float h[B][256]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 256, A)");
  __produces("h ~> Cells2(B, 256)");
  float* const d = __gmem_malloc2<float>(B, 256);
  memcpy_host_to_device2(d, h, B, 256);
  kernel_launch(B, 256, 2048);

  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ float s[256];
    thread for (int t = 0; t < 256; t++)
      s[t] = d[b][t];
    __shared__ int n[256];
    thread for (int t = 0; t < 256; t++) n[t] = 8;
    blocksync();
    for (int k = 1; k < (b > 3 ? n[0] : 8); k *= 2) { blocksync(); }
    blocksync(); // after
    thread for (int t = 0; t < 256; t++) n[t] = 100;
  }
  kernel_teardown_begin();

  kernel_kill();
  memcpy_device_to_host2(h, d, B, 256);
  gmem_free(d);
}
