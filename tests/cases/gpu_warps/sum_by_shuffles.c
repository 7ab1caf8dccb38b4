// A sum of the values of a warp by shuffles.
// expect: VERIFIED
// run: clean
// also: standin
// mutate: "shfl_down" -> "shfl_up"
//   => REFUTED[OG305] h ~> Matrix2(B, 64, fun b t -> t % 32 == 0 ? Sum(k in 0..32, A(b, t + k)) : A(b, t))
//   run: OG212 h ~> Matrix2(B, 64, fun b t -> t % 32 == 0 ? Sum(k in 0..32, A(b, t + k)) : A(b, t))
// mutate: "k = 16;" -> "k = 8;"
//   => REFUTED[OG305] h ~> Matrix2(B, 64, fun b t -> t % 32 == 0 ? Sum(k in 0..32, A(b, t + k)) : A(b, t))
//   run: OG212 h ~> Matrix2(B, 64, fun b t -> t % 32 == 0 ? Sum(k in 0..32, A(b, t + k)) : A(b, t))
// mutate: "&x[DMINDEX2(2, 32, w, 0)]" -> "&x[DMINDEX2(2, 32, 0, 0)]"
//   => REFUTED[OG340] x[DMINDEX2(2, 32, w, l)] += y[DMINDEX2(2, 32, w, l)];
//   run: OG224 shfl_down(&y[DMINDEX2(2, 32, w, 0)], &x[DMINDEX2(2, 32, 0, 0)], k)
// mutate: "&y[DMINDEX2(2, 32, w, 0)]" -> "&y[DMINDEX2(2, 32, w, 1)]"
//   => REFUTED[OG340] shfl_down(&y[DMINDEX2(2, 32, w, 1)], &x[DMINDEX2(2, 32, w, 0)], k);
//   run: OG224 shfl_down(&y[DMINDEX2(2, 32, w, 1)], &x[DMINDEX2(2, 32, w, 0)], k)
// mutate: "&x[DMINDEX2(2, 32, w, 0)], k)" -> "&y[DMINDEX2(2, 32, w, 0)], k)"
//   => REFUTED[OG304] shfl_down(&y[DMINDEX2(2, 32, w, 0)], &y[DMINDEX2(2, 32, w, 0)], k);
//   run: OG202 shfl_down(&y[DMINDEX2(2, 32, w, 0)], &y[DMINDEX2(2, 32, w, 0)], k)
// mutate: "w, 0)], k)" -> "w, 0)], 2 * k)"
//   => REFUTED[OG354] shfl_down(&y[DMINDEX2(2, 32, w, 0)], &x[DMINDEX2(2, 32, w, 0)], 2 * k);
//   run: OG201 shfl_down(&y[DMINDEX2(2, 32, w, 0)], &x[DMINDEX2(2, 32, w, 0)], 2 * k)
// mutate: "w < 2; w++" -> "w < 4; w++" => REFUTED[OG347] thread for (int l = 0; l < 32; l++)
//   run: OG221 shfl_down(&y[DMINDEX2(2, 32, w, 0)], &x[DMINDEX2(2, 32, w, 0)], k)
// mutate: "thread for (int w = 0; w < 2; w++)" -> "for (int w = 0; w < 2; w++)"
//   => REFUTED[OG345] shfl_down(&y[DMINDEX2(2, 32, w, 0)], &x[DMINDEX2(2, 32, w, 0)], k);
//   run: OG221 shfl_down(&y[DMINDEX2(2, 32, w, 0)], &x[DMINDEX2(2, 32, w, 0)], k)
// mutate: "+= y[DMINDEX2(2, 32, w, l)]" -> "+= y[DMINDEX2(2, 32, w, l ^ 1)]" => REFUTED[OG344] y[DMINDEX2(2, 32, w, l ^ 1)]
//   run: OG224 y[DMINDEX2(2, 32, w, l ^ 1)]

void f(int B, float h[B][64]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 64, A)");
  __produces("h ~> Matrix2(B, 64, fun b t -> t % 32 == 0 ? Sum(k in 0..32, A(b, t + k)) : A(b, t))");
  float* const d = __gmem_malloc2<float>(B, 64);
  memcpy_host_to_device2(d, h, B, 64);
  kernel_launch(B, 64, 0);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    float* const x = __treg_malloc0<float>();
    float* const y = __treg_malloc0<float>();
    thread for (int t = 0; t < 64; t++) x[DMINDEX1(64, t)] = d[b][t];
    thread for (int w = 0; w < 2; w++) {
      for (int k = 16; k > 0; k >>= 1) {
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
