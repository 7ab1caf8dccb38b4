// What runs ahead may have loops and conditions, but no barriers and no pipelined loops.
// expect: VERIFIED
// run: clean
// also: standin, replay
// mutate: "      if (k < 2) {\n"
//   -> "#pragma pipeline 2\n      for (int q = 0; q < 2; q++) pipeline_wait();\n      if (k < 2) {\n"
//   => REFUTED[OG372] for (int q = 0; q < 2; q++)
//   run: OG230 for (int q = 0; q < 2; q++)
// mutate: "      if (k < 2) {\n" -> "      for (int q = 0; q < 2; q++) blocksync();\n      if (k < 2) {\n"
//   => REFUTED[OG372] blocksync();
//   run: OG230 blocksync()
// mutate: "        tile_load(s, a, b, 64 * k);\n" -> "        tile_load(s, a, b, 64 * k);\n        blocksync();\n"
//   => REFUTED[OG372] blocksync();
//   run: OG230 blocksync()
// mutate: "      pipeline_wait();\n" -> "", "        tile_load(s, a, b, 64 * k);\n"
//   -> "        tile_load(s, a, b, 64 * k);\n        pipeline_wait();\n"
//   => REFUTED[OG372] pipeline_wait();
//   run: OG230 sum[DMINDEX1(64, t)] += s[0][t];
// mutate: "q < 64; q++" -> "q < 63; q++" => REFUTED[OG304] s[0][t];
//   run: OG202 s[0][t];
// mutate: "s[0][t] = a" -> "s[0][63 - t] = a"
//   => REFUTED[OG305] y ~> Matrix2(B, 64, fun b t -> Sum(k in 0..4, k < 2 ? A(b, 64 * k + t) : A(b, 64 * k + 63 - t)))
// mutate: "if (k < 2) {" -> "if (k < 3) {"
//   => REFUTED[OG305] y ~> Matrix2(B, 64, fun b t -> Sum(k in 0..4, k < 2 ? A(b, 64 * k + t) : A(b, 64 * k + 63 - t)))
// mutate: "      if (k < 2) {\n" -> "      thread for (int t = 0; t < 64; t++) s[0][t] = 0.0f;\n      if (k < 2) {\n"
//   => REFUTED[OG341] tile_load(s, a, b, 64 * k);
//   run: OG210 tile_load(s, a, b, 64 * k)
//   also: standin
// mutate: "      pipeline_wait();\n" -> "      thread for (int t = 0; t < 64; t++) s[0][t] *= 2.0f;\n      pipeline_wait();\n"
//   => REFUTED[OG341] s[0][t] *= 2.0f;
//   run: OG210 s[0][t] *= 2.0f;
//   also: standin

#include <optigpu.h>
void f(int B, float x[B][256], float y[B][64]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __reads("x ~> Matrix2(B, 256, A)");
  __writes("y ~> Matrix2(B, 64, fun b t -> Sum(k in 0..4, k < 2 ? A(b, 64 * k + t) : A(b, 64 * k + 63 - t)))");
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
      if (k < 2) {
        tile_load(s, a, b, 64 * k);
      } else {
        thread for (int t = 0; t < 64; t++)
          for (int q = 0; q < 64; q++)
            if (q == 63 - t) s[0][t] = a[b][64 * k + q];
      }
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
