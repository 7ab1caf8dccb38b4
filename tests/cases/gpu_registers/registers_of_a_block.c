// A thread accesses its own registers only.
// expect: VERIFIED
// also: replay
// mutate: "d[b][255 - t] = r[DMINDEX1(256, t)]" -> "d[b][t] = r[DMINDEX1(256, 255 - t)]"
//   => REFUTED[OG344] r[DMINDEX1(256, 255 - t)]
// mutate: "r[DMINDEX1(256, t)] = d[b][t]" -> "r[DMINDEX1(256, 255 - t)] = d[b][t]"
//   => REFUTED[OG344] r[DMINDEX1(256, 255 - t)] = d[b][t];
// mutate: "    blocksync();\n" -> "" => REFUTED[OG342] d[b][255 - t] = r[DMINDEX1(256, t)];

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
    float* const r = __treg_malloc0<float>();
    thread for (int t = 0; t < 256; t++)
      r[DMINDEX1(256, t)] = d[b][t];
    blocksync();
    thread for (int t = 0; t < 256; t++)
      d[b][255 - t] = r[DMINDEX1(256, t)];
  }
  kernel_teardown_begin();

  kernel_kill();
  memcpy_device_to_host2(h, d, B, 256);
  gmem_free(d);
}
