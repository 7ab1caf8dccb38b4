// A device function that a warp calls together.
// expect: VERIFIED
// run: clean
// also: replay, standin
// mutate: "desync_for l in ..32 -> &x[l] ~~>[TReg] A(l)" -> "for l in ..32 -> &x[l] ~~>[TReg] A(l)"
//   => UNPROVED[OG344] sum_warp(&x[DMINDEX2(8, 32, w, 0)], &y[DMINDEX2(8, 32, w, 0)]);
// mutate: "sum_warp(&x[DMINDEX2(8, 32, w, 0)]" -> "sum_warp(&x[DMINDEX2(8, 32, w, 1)]"
//   => REFUTED[OG302] sum_warp(&x[DMINDEX2(8, 32, w, 1)], &y[DMINDEX2(8, 32, w, 0)]);
// mutate: "sum_warp(&x[DMINDEX2(8, 32, w, 0)]" -> "sum_warp(&x[DMINDEX2(8, 32, 7 - w, 0)]"
//   => REFUTED[OG344] sum_warp(&x[DMINDEX2(8, 32, 7 - w, 0)], &y[DMINDEX2(8, 32, w, 0)]);
// mutate: "if (l < d) x[l] += y[l]" -> "if (l < d) x[l] += x[31 - l]" => UNPROVED[OG344] x[31 - l]
// mutate: "ThreadsCtx(t ..+ 32)" -> "ThreadsCtx(t ..+ 64)" => UNPROVED[OG345] shfl_down(&y[0], &x[0], d);
// mutate: "ThreadsCtx(t ..+ 32)" -> "ThreadsCtx(t ..+ 32), KernelParams(_, 64, _)"
//   => UNPROVED[OG315] sum_warp(&x[DMINDEX2(8, 32, w, 0)], &y[DMINDEX2(8, 32, w, 0)]);
// mutate: "w < 8; w++" -> "w < 4; w++" => REFUTED[OG344] sum_warp(&x[DMINDEX2(8, 32, w, 0)], &y[DMINDEX2(8, 32, w, 0)]);
// mutate: "if (t % 32 == 0) d[b][t] = x[DMINDEX1(256, t)]" -> "d[b][t] = x[DMINDEX1(256, t)]"
//   => REFUTED[OG304] x[DMINDEX1(256, t)];

__device__ void sum_warp(float x[32], float y[32]) {
  __requires("A: int -> float, t: int");
  __preserves("ThreadsCtx(t ..+ 32)");
  __consumes("desync_for l in ..32 -> &x[l] ~~>[TReg] A(l)");
  __produces("desync_for l in ..32 -> If(l == 0, &x[l] ~~>[TReg] Sum(k in 0..32, A(k))) * If(l > 0, &x[l] ~>[TReg] Cell)");
  __preserves("desync_for l in ..32 -> &y[l] ~>[TReg] UninitCell");
  for (int d = 16; d > 0; d >>= 1) {
    shfl_down(&y[0], &x[0], d);
    thread for (int l = 0; l < 32; l++)
      if (l < d) x[l] += y[l];
  }
}
#include <optigpu.h>
void f(int B, float h[B][256]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 256, A)");
  __produces("h ~> Matrix2(B, 256, fun b t -> t % 32 == 0 ? Sum(l in 0..32, A(b, t + l)) : A(b, t))");
  float* const d = __gmem_malloc2<float>(B, 256);
  memcpy_host_to_device2(d, h, B, 256);
  kernel_launch(B, 256, 1024);

  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    float* const x = __treg_malloc0<float>();
    float* const y = __treg_malloc0<float>();
    thread for (int t = 0; t < 256; t++)
      x[DMINDEX1(256, t)] = d[b][t];
    thread for (int w = 0; w < 8; w++)
      sum_warp(&x[DMINDEX2(8, 32, w, 0)], &y[DMINDEX2(8, 32, w, 0)]);
    thread for (int t = 0; t < 256; t++)
      if (t % 32 == 0) d[b][t] = x[DMINDEX1(256, t)];
  }
  kernel_teardown_begin();

  kernel_kill();
  memcpy_device_to_host2(h, d, B, 256);
  gmem_free(d);
}
