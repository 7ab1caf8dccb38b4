// A pipelined loop has any number of iterations, fewer than its stages or none.
// expect: VERIFIED
// run: clean
// also: standin, replay
// mutate: "Sum(k in 0..n, A(k, t))" -> "Sum(k in 0..n, A(k, 63 - t))"
//   => REFUTED[OG305] y ~> Matrix1(64, fun t -> Sum(k in 0..n, A(k, 63 - t)))
// mutate: "k < n; k++" -> "k < n; k += 2" => REFUTED[OG305] y ~> Matrix1(64, fun t -> Sum(k in 0..n, A(k, t)))
// mutate: "int k = 0; k < n" -> "int k = 1; k < n" => REFUTED[OG305] y ~> Matrix1(64, fun t -> Sum(k in 0..n, A(k, t)))
// mutate: "+= s[0][t]" -> "= s[0][t]" => REFUTED[OG305] y ~> Matrix1(64, fun t -> Sum(k in 0..n, A(k, t)))
// mutate: "sum[DMINDEX1(64, t)] = 0.0f" -> "if (n == 0) sum[DMINDEX1(64, t)] = 0.0f"
//   => REFUTED[OG304] sum[DMINDEX1(64, t)] += s[0][t];
//   run: OG202 sum[DMINDEX1(64, t)] += s[0][t];

#include <optigpu.h>
void f(int n, float x[n][64], float y[64]) {
  __requires("A: int * int -> float, n >= 0");
  __reads("x ~> Matrix2(n, 64, A)");
  __writes("y ~> Matrix1(64, fun t -> Sum(k in 0..n, A(k, t)))");
  float* const a = __gmem_malloc2<float>(n, 64);
  float* const d = __gmem_malloc1<float>(64);
  memcpy_host_to_device2(a, x, n, 64);
  kernel_launch(1, 64, 1024);
  kernel_setup_end();
  thread for (int b = 0; b < 1; b++) {
    float* const sum = __treg_malloc0<float>();
    thread for (int t = 0; t < 64; t++) sum[DMINDEX1(64, t)] = 0.0f;
#pragma pipeline 4
    for (int k = 0; k < n; k++) {
      __shared__ float s[1][64];
      tile_load(s, a, k, 0);
      pipeline_wait();
      thread for (int t = 0; t < 64; t++) sum[DMINDEX1(64, t)] += s[0][t];
    }
    thread for (int t = 0; t < 64; t++) d[t] = sum[DMINDEX1(64, t)];
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(y, d, 64);
  gmem_free(a);
  gmem_free(d);
}
