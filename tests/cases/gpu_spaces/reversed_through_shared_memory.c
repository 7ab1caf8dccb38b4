// A row reversed through shared memory of the setup phase.
// expect: VERIFIED
// also: replay
// mutate: "    blocksync();\n" -> "" => REFUTED[OG341] s[DMINDEX1(B, b)][255 - t]
// mutate: "    blocksync();\n" -> "    warpsync();\n" => REFUTED[OG345] warpsync();
// mutate: "d[b][t] = s[DMINDEX1(B, b)]" -> "d[b][t] = s[DMINDEX1(B, B - 1 - b)]"
//   => REFUTED[OG344] s[DMINDEX1(B, b)][t] = d[b][t];
// mutate: "s[DMINDEX1(B, b)][t] = d[b][t]" -> "s[DMINDEX1(B, B - 1 - b)][t] = d[b][t]"
//   => REFUTED[OG344] s[DMINDEX1(B, B - 1 - b)][t] = d[b][t];
// mutate: "    blocksync();\n    thread for (int t = 0; t < 256; t++)\n"
//   -> "    thread for (int t = 0; t < 256; t++) { blocksync(); }\n    thread for (int t = 0; t < 256; t++)\n"
//   => REFUTED[OG345] blocksync();
// mutate: "  __smem_free1(s, 256);\n" -> "" => REFUTED[OG351] kernel_kill();
// mutate: "  __smem_free1(s, 256);\n" -> "  __smem_free1(s, 255);\n" => REFUTED[OG351] 255);
// mutate: "B, 256, 1024" -> "B, 256, 1023" => REFUTED[OG349] float* const s = __smem_malloc1<float>(256)
// mutate: "d[b][t] = s[DMINDEX1(B, b)][255 - t]" -> "d[b][255 - t] = s[DMINDEX1(B, b)][255 - t]"
//   => REFUTED[OG305] h ~> Matrix2(B, 256, fun b t -> A(b, 255 - t))

#include <optigpu.h>
void f(int B, float h[B][256]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 256, A)");
  __produces("h ~> Matrix2(B, 256, fun b t -> A(b, 255 - t))");
  float* const d = __gmem_malloc2<float>(B, 256);
  memcpy_host_to_device2(d, h, B, 256);
  kernel_launch(B, 256, 1024);
  float* const s = __smem_malloc1<float>(256);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    thread for (int t = 0; t < 256; t++)
      s[DMINDEX1(B, b)][t] = d[b][t];
    blocksync();
    thread for (int t = 0; t < 256; t++)
      d[b][t] = s[DMINDEX1(B, b)][255 - t];
  }
  kernel_teardown_begin();
  __smem_free1(s, 256);
  kernel_kill();
  memcpy_device_to_host2(h, d, B, 256);
  gmem_free(d);
}
