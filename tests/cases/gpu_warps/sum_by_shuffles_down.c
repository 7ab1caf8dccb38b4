// A sum by shuffles of halving distance.
// expect: VERIFIED
// also: replay
// mutate: "shfl_down(&y[DMINDEX2(8, 32, w, 0)]" -> "shfl_down(&y[DMINDEX2(8, 32, w, 1)]"
//   => REFUTED[OG340] shfl_down(&y[DMINDEX2(8, 32, w, 1)], &x[DMINDEX2(8, 32, w, 0)], k);
// mutate: "shfl_down(" -> "shfl_up("
//   => REFUTED[OG305] h ~> Matrix2(B, 256, fun b t -> t % 32 == 0 ? Sum(l in 0..32, A(b, t + l)) : A(b, t))
// mutate: "x[DMINDEX1(256, t)];\n  }" -> "x[DMINDEX1(256, 255 - t)];\n  }" => REFUTED[OG344] x[DMINDEX1(256, 255 - t)]
// mutate: "], k);" -> "], k + 16);"
//   => REFUTED[OG354] shfl_down(&y[DMINDEX2(8, 32, w, 0)], &x[DMINDEX2(8, 32, w, 0)], k + 16);

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
    thread for (int w = 0; w < 8; w++) {
      for (int k = 16; k > 0; k >>= 1) {
        shfl_down(&y[DMINDEX2(8, 32, w, 0)], &x[DMINDEX2(8, 32, w, 0)], k);
        thread for (int l = 0; l < 32; l++)
          if (l < k) x[DMINDEX2(8, 32, w, l)] += y[DMINDEX2(8, 32, w, l)];
      }
    }
    thread for (int t = 0; t < 256; t++)
      if (t % 32 == 0) d[b][t] = x[DMINDEX1(256, t)];
  }
  kernel_teardown_begin();

  kernel_kill();
  memcpy_device_to_host2(h, d, B, 256);
  gmem_free(d);
}
