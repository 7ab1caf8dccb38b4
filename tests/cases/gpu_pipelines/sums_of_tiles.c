// While a block adds up a tile, the tiles of the next iterations are copied. The sums are in registers.
// expect: VERIFIED
// run: clean
// also: standin, replay
// mutate: "      pipeline_wait();\n" -> "      blocksync();\n" => REFUTED[OG372] for (int k = 0; k < 4; k++)
//   run: OG230 blocksync()
// mutate: "      pipeline_wait();\n" -> "      pipeline_wait();\n      pipeline_wait();\n" => REFUTED[OG372] 2nd pipeline_wait();
//   run: OG230 2nd pipeline_wait();
// mutate: "      pipeline_wait();\n" -> "      if (k > 0) pipeline_wait();\n" => REFUTED[OG372] pipeline_wait();
//   run: OG210 s[0][t]
// mutate: "      pipeline_wait();\n" -> "      if (b > 0) { pipeline_wait(); } else { pipeline_wait(); }\n"
//   => UNPROVED[OG372] pipeline_wait(); } else { pipeline_wait(); }
// mutate: "      pipeline_wait();\n" -> "      for (int q = 0; q < 1; q++) pipeline_wait();\n"
//   => UNPROVED[OG372] pipeline_wait();
// mutate: "      pipeline_wait();\n" -> "      thread for (int t = 0; t < 64; t++) pipeline_wait();\n"
//   => REFUTED[OG372] pipeline_wait();
//   run: OG221 pipeline_wait()
// mutate: "      pipeline_wait();\n" -> "      blocksync();\n      pipeline_wait();\n" => REFUTED[OG372] blocksync();
//   run: OG230 blocksync()
// mutate: "      pipeline_wait();\n" -> "      warpsync();\n      pipeline_wait();\n" => REFUTED[OG372] warpsync();
//   run: OG230 warpsync()
// mutate: "      pipeline_wait();\n" -> "      pipeline_wait();\n      blocksync();\n" => VERIFIED
//   run: clean
// mutate: "      __shared__ float s[1][64];\n      tile_load(s, a, b, 64 * k);\n      pipeline_wait();\n"
//   -> "      pipeline_wait();\n      __shared__ float s[1][64];\n      tile_load(s, a, b, 64 * k);\n"
//   => REFUTED[OG341] s[0][t]
//   run: OG210 s[0][t]
//   also: standin
// mutate: "      __shared__ float s[1][64];\n      tile_load(s, a, b, 64 * k);\n      pipeline_wait();\n"
//   -> "      pipeline_wait();\n      __shared__ float s[1][64];\n      tile_load(s, a, b, 64 * k);\n      blocksync();\n"
//   => REFUTED[OG352] for (int k = 0; k < 4; k++)
//   run: OG210 tile_load(s, a, b, 64 * k)
// mutate: "sum[DMINDEX1(64, t)] += s[0][t];" -> "sum[DMINDEX1(64, t)] += s[0][63 - t];"
//   => REFUTED[OG305] y ~> Matrix2(B, 64, fun b t -> Sum(k in 0..4, A(b, 64 * k + t)))
// mutate: "      tile_load(s, a, b, 64 * k);\n" -> "" => REFUTED[OG304] s[0][t]
//   run: OG202 s[0][t]
// mutate: "64 * k);" -> "64 * k + 1);" => REFUTED[OG305] y ~> Matrix2(B, 64, fun b t -> Sum(k in 0..4, A(b, 64 * k + t)))
// mutate: "+= s[0][t];" -> "+= 2.0f * s[0][t];"
//   => REFUTED[OG305] y ~> Matrix2(B, 64, fun b t -> Sum(k in 0..4, A(b, 64 * k + t)))
// mutate: "#pragma pipeline 3\n" -> "" => REFUTED[OG372] pipeline_wait();
//   run: OG230 pipeline_wait()
// mutate: "#pragma pipeline 3\n" -> "#pragma pipeline 4\n" => UNPROVED[OG349] float s
// mutate: "#pragma pipeline 3\n" -> "#pragma pipeline 0\n" => REJECTED[OG012] #pragma pipeline 0
// mutate: "#pragma pipeline 3\n" -> "#pragma pipeline 10\n" => REJECTED[OG012] #pragma pipeline 10
// mutate: "#pragma pipeline 3\n" -> "#pragma pipeline\n" => REJECTED[OG012] #pragma pipeline
// mutate: "for (int k = 0; k < 4; k++)" -> "for (int k = 0; k < 3; k++)"
//   => REFUTED[OG305] y ~> Matrix2(B, 64, fun b t -> Sum(k in 0..4, A(b, 64 * k + t)))
// mutate: "for (int k = 0; k < 4; k++)" -> "thread for (int k = 0; k < 4; k++)"
//   => REFUTED[OG347] thread for (int t = 0; t < 64; t++) sum[DMINDEX1(64, t)] += s[0][t];
//   run: OG221 float s

#include <optigpu.h>
void f(int B, float x[B][256], float y[B][64]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __reads("x ~> Matrix2(B, 256, A)");
  __writes("y ~> Matrix2(B, 64, fun b t -> Sum(k in 0..4, A(b, 64 * k + t)))");
  float* const a = __gmem_malloc2<float>(B, 256);
  float* const d = __gmem_malloc2<float>(B, 64);
  memcpy_host_to_device2(a, x, B, 256);
  kernel_launch(B, 64, 768);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    float* const sum = __treg_malloc0<float>();
    thread for (int t = 0; t < 64; t++) sum[DMINDEX1(64, t)] = 0.0f;
#pragma pipeline 3
    for (int k = 0; k < 4; k++) {
      __shared__ float s[1][64];
      tile_load(s, a, b, 64 * k);
      pipeline_wait();
      thread for (int t = 0; t < 64; t++) sum[DMINDEX1(64, t)] += s[0][t];
    }
    thread for (int t = 0; t < 64; t++) d[b][t] = sum[DMINDEX1(64, t)];
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(y, d, B, 64);
  gmem_free(a);
  gmem_free(d);
}
