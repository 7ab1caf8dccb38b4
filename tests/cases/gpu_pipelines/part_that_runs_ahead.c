// What stands before the wait writes only the shared arrays that it declares, and reads only what the loop does not change.
// expect: VERIFIED
// run: clean
// also: standin, replay
// mutate: "s[t] = a[b][k][t]; // ahead" -> "s[t] = a[b][k][t] + g[t];" => VERIFIED
//   run: clean
// mutate: "s[t] = a[b][k][t]; // ahead" -> "s[t] += a[b][k][t];" => REFUTED[OG304] s[t]
//   run: OG202 s[t]
// mutate: "s[t] = a[b][k][t]; // ahead" -> "s[t] = a[b][k][63 - t];"
//   => REFUTED[OG305] y ~> Matrix2(B, 64, fun b t -> Sum(k in 0..4, A(b, k, 63 - t)))
// mutate: "s[t] = a[b][k][t]; // ahead" -> "if (t > 0) s[t] = a[b][k][t];" => REFUTED[OG304] s[63 - t]
//   run: OG202 s[63 - t]
// mutate: "s[t] = a[b][k][t]; // ahead" -> "s[0] = a[b][k][t];" => REFUTED[OG340] s[0] = a[b][k][t];
//   run: OG210 s[0]
//   also: standin
// mutate: "s[t] = a[b][k][t]; // ahead" -> "{ s[t] = 0.0f; s[t] = s[63 - t] + a[b][k][t]; }"
//   => REFUTED[OG340] s[t] = s[63 - t] + a[b][k][t];
//   run: OG210 s[t] = 0.0f; s[t] = s[63 - t] + a[b][k][t]; }
//   also: standin
// mutate: "      __shared__ float s[64];\n" -> "      const int q = k;\n      __shared__ float s[64];\n", "+= s[63 - t];"
//   -> "+= s[63 - t] + 0.0f * q;"
//   => VERIFIED
//   run: clean
// mutate: "      __shared__ float s[64];\n" -> "      float* const q = __treg_malloc0<float>();\n      __shared__ float s[64];\n"
//   => UNPROVED[OG372] pipeline_wait();
// mutate: "      __shared__ float s[64];\n" -> "      { __shared__ float q[1]; }\n      __shared__ float s[64];\n"
//   => UNPROVED[OG372] float q
// mutate: "      __shared__ float s[64];\n"
//   -> "      for (int q = 0; q < 2; q++) { __shared__ float r[1]; }\n      __shared__ float s[64];\n"
//   => UNPROVED[OG372] float r
// mutate: "u[t] = sum[DMINDEX1(64, t)];" -> "u[t] = s[t];"
//   => REFUTED[OG305] y ~> Matrix2(B, 64, fun b t -> Sum(k in 0..4, A(b, k, 63 - t)))

#include <optigpu.h>
void f(int B, float x[B][4][64], float y[B][64]) {
  __requires("A: int * int * int -> float, B_pos: B >= 0");
  __reads("x ~> Matrix3(B, 4, 64, A)");
  __writes("y ~> Matrix2(B, 64, fun b t -> Sum(k in 0..4, A(b, k, 63 - t)))");
  float* const a = __gmem_malloc3<float>(B, 4, 64);
  float* const d = __gmem_malloc2<float>(B, 64);
  memcpy_host_to_device3(a, x, B, 4, 64);
  kernel_launch(B, 64, 2048);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ float u[64];
    __shared__ float g[64];
    float* const sum = __treg_malloc0<float>();
    thread for (int t = 0; t < 64; t++) {
      u[t] = 0.0f;
      g[t] = 0.0f;
      sum[DMINDEX1(64, t)] = 0.0f;
      d[b][t] = 0.0f;
    }
#pragma pipeline 3
    for (int k = 0; k < 4; k++) {
      __shared__ float s[64];
      thread for (int t = 0; t < 64; t++) s[t] = a[b][k][t]; // ahead
      pipeline_wait();
      thread for (int t = 0; t < 64; t++) {
        sum[DMINDEX1(64, t)] += s[63 - t];
        u[t] = sum[DMINDEX1(64, t)];
        d[b][t] = u[t];
      }
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(y, d, B, 64);
  gmem_free(a);
  gmem_free(d);
}
