// A copy reads global memory from the call on, up to the next barrier: what a block has written is copied after a barrier.
// expect: VERIFIED
// run: clean
// also: standin, replay
// mutate: "    blocksync(); // written\n" -> "" => REFUTED[OG341] tile_load(s, a, b, 0);
//   run: OG210 tile_load(s, a, b, 0)
//   also: standin
// mutate: "    blocksync(); // copied\n" -> "" => REFUTED[OG342] a[b][t] = s[0][63 - t];
//   run: OG210 s[0][63 - t]
//   also: standin
// mutate: "    blocksync(); // written\n" -> "    warpsync();\n" => REFUTED[OG345] warpsync();
//   run: OG221 warpsync()
// mutate: "    blocksync(); // copied\n    thread for (int t = 0; t < 64; t++) a[b][t] = s[0][63 - t];\n"
//   -> "    thread for (int t = 0; t < 64; t++) a[b][t] = 0.0f;\n"
//   => REFUTED[OG342] a[b][t] = 0.0f;
//   run: OG210 a[b][t] = 0.0f;
//   also: standin
// mutate: "tile_load(s, a, b, 0);" -> "tile_load(s, a, 0, 0);" => REFUTED[OG340] a[b][t] = s[0][63 - t];
//   run: OG210 tile_load(s, a, 0, 0)
//   also: standin
// mutate: "tile_load(s, a, b, 0);" -> "tile_load(s, a, b, 1);" => REFUTED[OG305] x ~> Matrix2(B, 64, fun b t -> 2 * A(b, 63 - t))
//   run: OG212 x ~> Matrix2(B, 64, fun b t -> 2 * A(b, 63 - t))
// mutate: "float s[1][64]" -> "float s[2][64]", "B, 64, 256" -> "B, 64, 512" => REFUTED[OG302] tile_load(s, a, b, 0);
//   run: OG210 tile_load(s, a, b, 0)
//   also: standin
// mutate: "a[b][t] = 2.0f * a[b][t];" -> "a[b][t] = 3.0f * a[b][t];"
//   => REFUTED[OG305] x ~> Matrix2(B, 64, fun b t -> 2 * A(b, 63 - t))
//   run: OG212 x ~> Matrix2(B, 64, fun b t -> 2 * A(b, 63 - t))

#include <optigpu.h>
void f(int B, float x[B][64]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("x ~> Matrix2(B, 64, A)");
  __produces("x ~> Matrix2(B, 64, fun b t -> 2 * A(b, 63 - t))");
  float* const a = __gmem_malloc2<float>(B, 64);
  memcpy_host_to_device2(a, x, B, 64);
  kernel_launch(B, 64, 256);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ float s[1][64];
    thread for (int t = 0; t < 64; t++) a[b][t] = 2.0f * a[b][t];
    blocksync(); // written
    tile_load(s, a, b, 0);
    blocksync(); // copied
    thread for (int t = 0; t < 64; t++) a[b][t] = s[0][63 - t];
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(x, a, B, 64);
  gmem_free(a);
}
