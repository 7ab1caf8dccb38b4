// A sum over half a warp by shuffles.
// expect: VERIFIED
// also: replay
// mutate: "Sum(k in 0..16" -> "Sum(k in 0..15"
//   => REFUTED[OG305] h ~> Matrix2(B, 64, fun b t -> t % 32 == 0 ? Sum(k in 0..15, A(b, t + k)) : A(b, t))
// mutate: "k = 8;" -> "k = 16;"
//   => REFUTED[OG305] h ~> Matrix2(B, 64, fun b t -> t % 32 == 0 ? Sum(k in 0..16, A(b, t + k)) : A(b, t))
// mutate: "+= y[DMINDEX2(2, 32, w, l)]" -> "+= y[DMINDEX2(2, 32, w, l ^ 1)]" => REFUTED[OG344] y[DMINDEX2(2, 32, w, l ^ 1)]

void f(int B, float h[B][64]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 64, A)");
  __produces("h ~> Matrix2(B, 64, fun b t -> t % 32 == 0 ? Sum(k in 0..16, A(b, t + k)) : A(b, t))");
  float* const d = __gmem_malloc2<float>(B, 64);
  memcpy_host_to_device2(d, h, B, 64);
  kernel_launch(B, 64, 0);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    float* const x = __treg_malloc0<float>();
    float* const y = __treg_malloc0<float>();
    thread for (int t = 0; t < 64; t++) x[DMINDEX1(64, t)] = d[b][t];
    thread for (int w = 0; w < 2; w++) {
      for (int k = 8; k > 0; k >>= 1) {
        shfl_down(&y[DMINDEX2(2, 32, w, 0)], &x[DMINDEX2(2, 32, w, 0)], k);
        thread for (int l = 0; l < 32; l++)
          if (l < k) x[DMINDEX2(2, 32, w, l)] += y[DMINDEX2(2, 32, w, l)];
      }
    }
    thread for (int t = 0; t < 64; t++) if (t % 32 == 0) d[b][t] = x[DMINDEX1(64, t)];
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(h, d, B, 64);
  gmem_free(d);
}
