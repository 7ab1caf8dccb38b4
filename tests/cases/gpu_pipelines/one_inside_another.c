// A pipelined loop may stand in the part of another one that uses the tiles, and use them too.
// expect: VERIFIED
// run: clean
// also: standin, replay
// mutate: "tile_load(s, a, b, 128 * q + 64 * k);" -> "tile_load(s, a, b, 64 * q + 128 * k);"
//   => REFUTED[OG305] y ~> Matrix2(B, 64, fun b t -> Sum(q in 0..3, Sum(k in 0..2, A(b, 128 * q + 64 * k + t) * A(b, 384 + 64 * q + 63 - t))))
// mutate: "tile_load(w, a, b, 384 + 64 * q);" -> "tile_load(w, a, b, 48);"
//   => REFUTED[OG305] y ~> Matrix2(B, 64, fun b t -> Sum(q in 0..3, Sum(k in 0..2, A(b, 128 * q + 64 * k + t) * A(b, 384 + 64 * q + 63 - t))))
// mutate: "s[0][t] * w[0][63 - t]" -> "s[0][t] * w[0][t]"
//   => REFUTED[OG305] y ~> Matrix2(B, 64, fun b t -> Sum(q in 0..3, Sum(k in 0..2, A(b, 128 * q + 64 * k + t) * A(b, 384 + 64 * q + 63 - t))))
// mutate: "      tile_load(w, a, b, 384 + 64 * q);\n" -> "" => REFUTED[OG304] w[0][63 - t]
//   run: OG202 w[0][63 - t]
// mutate: "      blocksync();\n" -> "" => UNPROVED[OG352] for (int q = 0; q < 3; q++)
// mutate: "kernel_launch(B, 64, 1280)" -> "kernel_launch(B, 64, 1272)" => UNPROVED[OG349] float s
// mutate: "        tile_load(s, a, b, 128 * q + 64 * k);\n"
//   -> "        thread for (int t = 0; t < 64; t++) s[0][t] = w[0][63 - t];\n"
//   => REFUTED[OG305] y ~> Matrix2(B, 64, fun b t -> Sum(q in 0..3, Sum(k in 0..2, A(b, 128 * q + 64 * k + t) * A(b, 384 + 64 * q + 63 - t))))

#include <optigpu.h>
void f(int B, float x[B][576], float y[B][64]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __reads("x ~> Matrix2(B, 576, A)");
  __writes("y ~> Matrix2(B, 64, fun b t -> Sum(q in 0..3, Sum(k in 0..2, A(b, 128 * q + 64 * k + t) * A(b, 384 + 64 * q + 63 - t))))");
  float* const a = __gmem_malloc2<float>(B, 576);
  float* const d = __gmem_malloc2<float>(B, 64);
  memcpy_host_to_device2(a, x, B, 576);
  kernel_launch(B, 64, 1280);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    float* const sum = __treg_malloc0<float>();
    thread for (int t = 0; t < 64; t++) sum[DMINDEX1(64, t)] = 0.0f;
#pragma pipeline 3
    for (int q = 0; q < 3; q++) {
      __shared__ float w[1][64];
      tile_load(w, a, b, 384 + 64 * q);
      pipeline_wait();
#pragma pipeline 2
      for (int k = 0; k < 2; k++) {
        __shared__ float s[1][64];
        tile_load(s, a, b, 128 * q + 64 * k);
        pipeline_wait();
        thread for (int t = 0; t < 64; t++) sum[DMINDEX1(64, t)] += s[0][t] * w[0][63 - t];
      }
      blocksync();
    }
    thread for (int t = 0; t < 64; t++) d[b][t] = sum[DMINDEX1(64, t)];
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(y, d, B, 64);
  gmem_free(a);
  gmem_free(d);
}
