// A pipelined loop is executed by a whole block, not by a warp, a thread or the host.
// expect: VERIFIED
// run: clean
// also: standin
// mutate: "#pragma pipeline 2\n" -> "    thread for (int w = 0; w < 2; w++) {\n#pragma pipeline 2\n", "+= s[0][t];\n    }\n"
//   -> "+= s[0][t];\n    } }\n"
//   => REFUTED[OG347] thread for (int t = 0; t < 64; t++) sum[DMINDEX1(64, t)] += s[0][t];
//   run: OG221 for (int k = 0; k < 4; k++)
// mutate: "#pragma pipeline 2\n"
//   -> "    thread for (int w = 0; w < 64; w++) {\n#pragma pipeline 2\n    for (int q = 0; q < 2; q++) pipeline_wait();\n    }\n#pragma pipeline 2\n"
//   => REFUTED[OG372] for (int q = 0; q < 2; q++)
//   run: OG221 for (int q = 0; q < 2; q++)
// mutate: "#pragma pipeline 2\n" -> "#pragma pipeline 2\n    for (int q = 0; q < 2; q++) pipeline_wait();\n#pragma pipeline 2\n"
//   => VERIFIED
//   run: clean
// mutate: "#pragma pipeline 2\n" -> "    pipeline_wait();\n#pragma pipeline 2\n" => REFUTED[OG372] 1st pipeline_wait();
//   run: OG230 1st pipeline_wait();
// mutate: "  thread for (int b = 0; b < B; b++) {\n"
//   -> "#pragma pipeline 2\n    for (int q = 0; q < 2; q++) pipeline_wait();\n  thread for (int b = 0; b < B; b++) {\n"
//   => REFUTED[OG372] for (int q = 0; q < 2; q++)
//   run: OG221 for (int q = 0; q < 2; q++)
// mutate: "  kernel_launch(" -> "#pragma pipeline 2\n    for (int q = 0; q < 2; q++) pipeline_wait();\n  kernel_launch("
//   => REFUTED[OG350] for (int q = 0; q < 2; q++)
//   run: OG226 for (int q = 0; q < 2; q++)
// mutate: "  kernel_launch(" -> "  pipeline_wait();\n  kernel_launch(" => REFUTED[OG372] 1st pipeline_wait();
//   run: OG226 1st pipeline_wait();
// mutate: "kernel_launch(B, 64, 512)" -> "kernel_launch(2 * B, 32, 512)" => REFUTED[OG372] for (int k = 0; k < 4; k++)
//   run: OG221 for (int k = 0; k < 4; k++)
// mutate: "64" -> "32" (14 times) => UNPROVED[OG372] for (int k = 0; k < 4; k++)

#include <optigpu.h>
void f(int B, float x[B][256], float y[B][64]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __reads("x ~> Matrix2(B, 256, A)");
  __writes("y ~> Matrix2(B, 64, fun b t -> Sum(k in 0..4, A(b, 64 * k + t)))");
  float* const a = __gmem_malloc2<float>(B, 256);
  float* const d = __gmem_malloc2<float>(B, 64);
  memcpy_host_to_device2(a, x, B, 256);
  kernel_launch(B, 64, 512);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    float* const sum = __treg_malloc0<float>();
    thread for (int t = 0; t < 64; t++) sum[DMINDEX1(64, t)] = 0.0f;
#pragma pipeline 2
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
