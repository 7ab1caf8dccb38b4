// A pipelined loop inside of a sequential one, which executes it several times.
// expect: VERIFIED
// run: clean
// also: standin, replay
// mutate: "tile_load(s, a, b, 128 * q + 64 * k);" -> "tile_load(s, a, b, 128 * k + 64 * q);"
//   => REFUTED[OG305] y ~> Matrix3(B, 3, 64, fun b q t -> Sum(k in 0..2, A(b, 128 * q + 64 * k + 63 - t)))
// mutate: "      thread for (int t = 0; t < 64; t++) sum[DMINDEX1(64, t)] = 0.0f;\n" -> ""
//   => REFUTED[OG304] sum[DMINDEX1(64, t)] += s[0][63 - t];
//   run: OG202 sum[DMINDEX1(64, t)] += s[0][63 - t];
// mutate: "      thread for (int t = 0; t < 64; t++) sum[DMINDEX1(64, t)] = 0.0f;\n" -> "", "    for (int q"
//   -> "    thread for (int t = 0; t < 64; t++) sum[DMINDEX1(64, t)] = 0.0f;\n    for (int q"
//   => REFUTED[OG305] y ~> Matrix3(B, 3, 64, fun b q t -> Sum(k in 0..2, A(b, 128 * q + 64 * k + 63 - t)))
// mutate: "      blocksync();\n" -> "" => REFUTED[OG352] for (int q = 0; q < 3; q++)
//   run: OG210 tile_load(s, a, b, 128 * q + 64 * k)
// mutate: "k < 2; k++" -> "k < 1; k++"
//   => REFUTED[OG305] y ~> Matrix3(B, 3, 64, fun b q t -> Sum(k in 0..2, A(b, 128 * q + 64 * k + 63 - t)))
// mutate: "d[b][q][t] =" -> "d[b][0][t] =" => REFUTED[OG316] memcpy_device_to_host3(y, d, B, 3, 64);
//   run: OG202 memcpy_device_to_host3(y, d, B, 3, 64)

#include <optigpu.h>
void f(int B, float x[B][384], float y[B][3][64]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __reads("x ~> Matrix2(B, 384, A)");
  __writes("y ~> Matrix3(B, 3, 64, fun b q t -> Sum(k in 0..2, A(b, 128 * q + 64 * k + 63 - t)))");
  float* const a = __gmem_malloc2<float>(B, 384);
  float* const d = __gmem_malloc3<float>(B, 3, 64);
  memcpy_host_to_device2(a, x, B, 384);
  kernel_launch(B, 64, 512);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    float* const sum = __treg_malloc0<float>();
    for (int q = 0; q < 3; q++) {
      thread for (int t = 0; t < 64; t++) sum[DMINDEX1(64, t)] = 0.0f;
#pragma pipeline 2
      for (int k = 0; k < 2; k++) {
        __shared__ float s[1][64];
        tile_load(s, a, b, 128 * q + 64 * k);
        pipeline_wait();
        thread for (int t = 0; t < 64; t++) sum[DMINDEX1(64, t)] += s[0][63 - t];
      }
      thread for (int t = 0; t < 64; t++) d[b][q][t] = sum[DMINDEX1(64, t)];
      blocksync();
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host3(y, d, B, 3, 64);
  gmem_free(a);
  gmem_free(d);
}
