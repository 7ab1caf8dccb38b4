// Lanes of a warp exchange values through shared memory.
// expect: VERIFIED
// also: replay
// mutate: "      warpsync();\n" -> "" => REFUTED[OG341] s[32 * w + 31 - l]
// mutate: "      warpsync();\n" -> "      blocksync();\n" => REFUTED[OG345] blocksync();
// mutate: "s[32 * w + 31 - l];" -> "s[32 * (7 - w) + 31 - l];" => REFUTED[OG340] s[32 * w + l] = d[b][32 * w + l];

#include <optigpu.h>
void f(int B, float h[B][256]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 256, A)");
  __produces("h ~> Cells2(B, 256)");
  float* const d = __gmem_malloc2<float>(B, 256);
  memcpy_host_to_device2(d, h, B, 256);
  kernel_launch(B, 256, 1024);

  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ float s[256];
    thread for (int w = 0; w < 8; w++) {
      thread for (int l = 0; l < 32; l++)
        s[32 * w + l] = d[b][32 * w + l];
      warpsync();
      thread for (int l = 0; l < 32; l++)
        d[b][32 * w + l] = s[32 * w + 31 - l];
    }
  }
  kernel_teardown_begin();

  kernel_kill();
  memcpy_device_to_host2(h, d, B, 256);
  gmem_free(d);
}
