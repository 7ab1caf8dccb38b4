// Each stage has its copy of the shared arrays, of 256 bytes here. After the loop and a barrier their memory may be used again.
// expect: VERIFIED
// run: clean
// also: standin, replay
// mutate: "kernel_launch(B, 64, 768)" -> "kernel_launch(B, 64, 767)" => REFUTED[OG349] float s
//   run: OG225 float r
// mutate: "#pragma pipeline 3" -> "#pragma pipeline 4" => UNPROVED[OG349] float s
// mutate: "float r[192]" -> "float r[193]" => REFUTED[OG349] float r
//   run: OG225 float r
// mutate: "      pipeline_wait();\n" -> "      pipeline_wait();\n      __shared__ float q[1];\n" => UNPROVED[OG349] float q
// mutate: "#pragma pipeline 3" -> "    __shared__ float q[1];\n#pragma pipeline 3" => REFUTED[OG349] float s
//   run: OG225 float r
// mutate: "float s[1][64]" -> "float s[2][64]" => UNPROVED[OG349] float s
// mutate: "r[64 + t] = sum[DMINDEX1(64, t)];" -> "r[64 + t / 2] = sum[DMINDEX1(64, t)];"
//   => REFUTED[OG340] r[64 + t / 2] = sum[DMINDEX1(64, t)];
//   run: OG210 r[64 + t / 2]
//   also: standin
// mutate: "    blocksync(); // used\n" -> "" => UNPROVED[OG349] float r
// mutate: "    blocksync(); // written\n" -> "" => REFUTED[OG341] r[127 - t]
//   run: OG210 r[127 - t]
//   also: standin

#include <optigpu.h>
void f(int B, float x[B][256], float y[B][64]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __reads("x ~> Matrix2(B, 256, A)");
  __writes("y ~> Matrix2(B, 64, fun b t -> Sum(k in 0..4, A(b, 64 * k + 63 - t)))");
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
    blocksync(); // used
    __shared__ float r[192];
    thread for (int t = 0; t < 64; t++) r[64 + t] = sum[DMINDEX1(64, t)];
    blocksync(); // written
    thread for (int t = 0; t < 64; t++) d[b][t] = r[127 - t];
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(y, d, B, 64);
  gmem_free(a);
  gmem_free(d);
}
