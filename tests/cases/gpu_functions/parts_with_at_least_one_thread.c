// A group of threads that may be empty calls nothing.
// expect: VERIFIED
// run: clean
// also: replay, standin
// mutate: "settle(32, &s[64 * w])" -> "settle(64, &s[64 * w])" => UNPROVED[OG315] settle(64, &s[64 * w]);
// mutate: "settle(32, &s[64 * w])" -> "settle(128, &s[64 * w])" => UNPROVED[OG340] settle(128, &s[64 * w]);
// mutate: "      warpsync(); // of the caller\n" -> "" => UNPROVED[OG341] settle(32, &s[64 * w]);
// mutate: "  warpsync(); // of the function\n" -> "" => UNPROVED[OG341] 2nd for i in ..n -> &p[i] ~>[SMem] Cell");

__device__ void settle(int n, float p[n]) {
  __requires("n > 0");
  __preserves("ThreadsCtx(32)");
  __consumes("desync_for i in ..n -> &p[i] ~>[SMem] Cell");
  __produces("for i in ..n -> &p[i] ~>[SMem] Cell");
  warpsync(); // of the function
}
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
    __shared__ float s[512];
    thread for (int t = 0; t < 256; t++) {
      s[2 * t] = d[b][t];
      s[2 * t + 1] = d[b][t];
    }
    thread for (int w = 0; w < 8; w++) {
      warpsync(); // of the caller
      settle(32, &s[64 * w]);
    }
  }
  kernel_teardown_begin();

  kernel_kill();
  memcpy_device_to_host2(h, d, B, 256);
  gmem_free(d);
}
