// A device function that a whole block calls, with a reduction tree.
// expect: VERIFIED
// run: clean
// also: replay, standin
// mutate: "    blocksync(); // before a level\n" -> "" => UNPROVED[OG341] s[t + h]
// mutate: "  blocksync(); // at the end\n" -> "" => UNPROVED[OG341] &s[0] ~~>[SMem] Sum(k in 0..256, A(k))
// mutate: "  blocksync(); // at the end\n" -> "  blocksync();\n  const float x = s[0];\n"
//   => UNPROVED[OG342] &s[0] ~~>[SMem] Sum(k in 0..256, A(k))
// mutate: "s[t] += s[t + h]" -> "s[t] += s[t + h + 1]" => UNPROVED[OG302] s[t + h + 1]
// mutate: "if (t < h) s[t]" -> "if (t <= h) s[t]" => UNPROVED[OG302] s[t + h]
// mutate: '"ThreadsCtx(256)"' -> '"ThreadsCtx(128)"' => UNSUPPORTED[OG300] desync_for t in ..256 -> &s[t] ~~>[SMem] A(t)
// mutate: '  __reads("KernelParams(_, 256, _)");\n' -> "" => UNPROVED[OG345] blocksync(); // before a level
// mutate: "s[t] = d[b][t];" -> "s[255 - t] = d[b][255 - t];" => UNPROVED[OG341] sum_block(s);
// mutate: "    sum_block(s);\n" -> "    thread for (int w = 0; w < 2; w++) sum_block(s);\n" => REFUTED[OG340] sum_block(s);
// mutate: "    sum_block(s);\n" -> "    thread for (int t = 0; t < 256; t++) sum_block(s);\n" => REFUTED[OG340] sum_block(s);
// mutate: "    sum_block(s);\n" -> "    blocksync(); const float x = s[0]; sum_block(s);\n" => UNPROVED[OG342] sum_block(s);
// mutate: "  kernel_kill();\n" -> "  kernel_kill();\n  float e[256]; sum_block(e);\n" => REFUTED[OG346] sum_block(e);

__device__ void sum_block(float s[256]) {
  __requires("A: int -> float");
  __preserves("ThreadsCtx(256)");
  __reads("KernelParams(_, 256, _)");
  __consumes("desync_for t in ..256 -> &s[t] ~~>[SMem] A(t)");
  __produces("&s[0] ~~>[SMem] Sum(k in 0..256, A(k)), for t in 1..256 -> &s[t] ~>[SMem] Cell");
  for (int h = 128; h > 0; h >>= 1) {
    blocksync(); // before a level
    thread for (int t = 0; t < 256; t++)
      if (t < h) s[t] += s[t + h];
  }
  blocksync(); // at the end
}
#include <optigpu.h>
void f(int B, float h[B][256]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 256, A)");
  __produces("h ~> Matrix2(B, 256, fun b t -> Sum(k in 0..256, A(b, k)))");
  float* const d = __gmem_malloc2<float>(B, 256);
  memcpy_host_to_device2(d, h, B, 256);
  kernel_launch(B, 256, 1024);

  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ float s[256];
    thread for (int t = 0; t < 256; t++)
      s[t] = d[b][t];
    sum_block(s);
    thread for (int t = 0; t < 256; t++)
      d[b][t] = s[0];
  }
  kernel_teardown_begin();

  kernel_kill();
  memcpy_device_to_host2(h, d, B, 256);
  gmem_free(d);
}
