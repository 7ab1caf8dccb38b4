// A tile is copied again after a barrier that ends its uses, and used after one that ends the copy.
// expect: VERIFIED
// run: clean
// also: standin, replay
// mutate: "      blocksync(); // copied\n" -> "" => REFUTED[OG341] s[0][t]
//   run: OG210 s[0][t]
//   also: standin
// mutate: "      blocksync(); // used\n" -> "" => REFUTED[OG342] tile_load(s, a, b, 64 * k);
//   run: OG210 tile_load(s, a, b, 64 * k)
//   also: standin
// mutate: "      blocksync(); // used\n" -> "", "tile_load(s, a, b, 64 * k);\n"
//   -> "tile_load(s, a, b, 64 * k);\n      blocksync();\n"
//   => REFUTED[OG342] tile_load(s, a, b, 64 * k);
//   run: OG210 tile_load(s, a, b, 64 * k)
//   also: standin
// mutate: "      blocksync(); // used\n" -> "      warpsync();\n" => REFUTED[OG345] warpsync();
//   run: OG221 warpsync()
// mutate: "      tile_load(s, a, b, 64 * k);\n      blocksync(); // copied\n"
//   -> "      blocksync(); // copied\n      tile_load(s, a, b, 64 * k);\n"
//   => REFUTED[OG341] s[0][t]
//   run: OG210 s[0][t]
//   also: standin
// mutate: "tile_load(s, a, b, 64 * k);\n"
//   -> "tile_load(s, a, b, 64 * k);\n      thread for (int t = 0; t < 64; t++) s[0][t] = 0.0f;\n"
//   => REFUTED[OG341] s[0][t] = 0.0f;
//   run: OG210 s[0][t] = 0.0f;
//   also: standin
// mutate: "tile_load(s, a, b, 64 * k);\n"
//   -> "thread for (int t = 0; t < 64; t++) s[0][t] = 0.0f;\n      tile_load(s, a, b, 64 * k);\n"
//   => REFUTED[OG341] tile_load(s, a, b, 64 * k);
//   run: OG210 tile_load(s, a, b, 64 * k)
//   also: standin
// mutate: "64 * k);" -> "64 * k + 8);" => REFUTED[OG305] y ~> Matrix2(B, 64, fun b t -> Sum(k in 0..4, A(b, 64 * k + t)))
//   run: OG212 y ~> Matrix2(B, 64, fun b t -> Sum(k in 0..4, A(b, 64 * k + t)))
// mutate: "64 * k);" -> "4 * k);" => REFUTED[OG305] y ~> Matrix2(B, 64, fun b t -> Sum(k in 0..4, A(b, 64 * k + t)))
//   run: OG212 y ~> Matrix2(B, 64, fun b t -> Sum(k in 0..4, A(b, 64 * k + t)))
// mutate: "      blocksync(); // used\n"
//   -> "      thread for (int t = 0; t < 64; t++) s[0][t] = 0.0f;\n      blocksync(); // used\n"
//   => VERIFIED
//   run: clean
// mutate: "sum[DMINDEX1(64, t)] += s[0][t];" -> "sum[DMINDEX1(64, t)] += s[0][63 - t];"
//   => REFUTED[OG305] y ~> Matrix2(B, 64, fun b t -> Sum(k in 0..4, A(b, 64 * k + t)))
//   run: OG212 y ~> Matrix2(B, 64, fun b t -> Sum(k in 0..4, A(b, 64 * k + t)))

#include <optigpu.h>
void f(int B, float x[B][256], float y[B][64]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __reads("x ~> Matrix2(B, 256, A)");
  __writes("y ~> Matrix2(B, 64, fun b t -> Sum(k in 0..4, A(b, 64 * k + t)))");
  float* const a = __gmem_malloc2<float>(B, 256);
  float* const d = __gmem_malloc2<float>(B, 64);
  memcpy_host_to_device2(a, x, B, 256);
  kernel_launch(B, 64, 256);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ float s[1][64];
    float* const sum = __treg_malloc0<float>();
    thread for (int t = 0; t < 64; t++) sum[DMINDEX1(64, t)] = 0.0f;
    for (int k = 0; k < 4; k++) {
      tile_load(s, a, b, 64 * k);
      blocksync(); // copied
      thread for (int t = 0; t < 64; t++) sum[DMINDEX1(64, t)] += s[0][t];
      blocksync(); // used
    }
    thread for (int t = 0; t < 64; t++) d[b][t] = sum[DMINDEX1(64, t)];
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(y, d, B, 64);
  gmem_free(a);
  gmem_free(d);
}
