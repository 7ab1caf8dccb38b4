// A barrier stands in the code of a block, where its shared memory is declared too.
// expect: VERIFIED
// also: replay
// mutate: "    blocksync();\n" -> "" => REFUTED[OG341] s[255 - t]
// mutate: "    blocksync();\n" -> "    if (b == 0) blocksync();\n" => REFUTED[OG341] s[255 - t]
// mutate: "s[t] = d[b][t];" -> "{ __shared__ float r[1]; s[t] = d[b][t]; }" => REFUTED[OG346] float r
// mutate: "__shared__ float s[256]" -> "__shared__ float s[257]" => REFUTED[OG349] float s
// mutate: "__shared__ float s[256]" -> "__shared__ double s[256]" => REFUTED[OG349] double s
// mutate: "float s[256]" -> "float s[255]" => REFUTED[OG302] s[t] = d[b][t];
// mutate: "  thread for (int b = 0; b < B; b++) {\n" -> "  blocksync();\n  thread for (int b = 0; b < B; b++) {\n"
//   => REFUTED[OG345] 1st blocksync();
// mutate: "d[b][t] = s[255 - t];" -> "{ d[b][t] = s[255 - t]; blocksync(); }" => REFUTED[OG345] blocksync(); }
// mutate: "d[b][t] = s[255 - t];" -> "{ d[b][t] = s[255 - t]; if (t < 128) { blocksync(); } }"
//   => REFUTED[OG345] blocksync(); } }

#include <optigpu.h>
void f(int B, float h[B][256]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 256, A)");
  __produces("h ~> Matrix2(B, 256, fun b t -> A(b, 255 - t))");
  float* const d = __gmem_malloc2<float>(B, 256);
  memcpy_host_to_device2(d, h, B, 256);
  kernel_launch(B, 256, 1024);

  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ float s[256];
    thread for (int t = 0; t < 256; t++)
      s[t] = d[b][t];
    blocksync();
    thread for (int t = 0; t < 256; t++)
      d[b][t] = s[255 - t];
  }
  kernel_teardown_begin();

  kernel_kill();
  memcpy_device_to_host2(h, d, B, 256);
  gmem_free(d);
}
