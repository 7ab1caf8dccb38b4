// Shuffles by exclusive or and from one lane.
// expect: VERIFIED
// run: clean
// also: standin
// mutate: "shfl(z, x, 5)" -> "shfl(z, x, 4)"
//   => REFUTED[OG305] h ~> Matrix2(B, 32, fun b t -> A(b, t % 2 == 0 ? t + 1 : t - 1) - A(b, 5))
//   run: OG212 h ~> Matrix2(B, 32, fun b t -> A(b, t % 2 == 0 ? t + 1 : t - 1) - A(b, 5))
// mutate: "shfl_xor(y, x, 1)" -> "shfl_xor(y, x, 2)"
//   => REFUTED[OG305] h ~> Matrix2(B, 32, fun b t -> A(b, t % 2 == 0 ? t + 1 : t - 1) - A(b, 5))
//   run: OG212 h ~> Matrix2(B, 32, fun b t -> A(b, t % 2 == 0 ? t + 1 : t - 1) - A(b, 5))
// mutate: "shfl(z, x, 5)" -> "shfl(z, x, 32)" => REFUTED[OG354] shfl(z, x, 32);
//   run: OG201 shfl(z, x, 32)
// mutate: "shfl(z, x, 5);" -> ";" => REFUTED[OG304] z[DMINDEX1(32, t)]
//   run: OG202 z[DMINDEX1(32, t)]
// mutate: "shfl(z, x, 5);" -> "thread for (int t = 0; t < 32; t++) shfl(z, x, 5);" => REFUTED[OG340] shfl(z, x, 5);
//   run: OG221 shfl(z, x, 5)

void f(int B, float h[B][32]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 32, A)");
  __produces("h ~> Matrix2(B, 32, fun b t -> A(b, t % 2 == 0 ? t + 1 : t - 1) - A(b, 5))");
  float* const d = __gmem_malloc2<float>(B, 32);
  memcpy_host_to_device2(d, h, B, 32);
  kernel_launch(B, 32, 0);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    float* const x = __treg_malloc0<float>();
    float* const y = __treg_malloc0<float>();
    float* const z = __treg_malloc0<float>();
    thread for (int t = 0; t < 32; t++) x[DMINDEX1(32, t)] = d[b][t];
    shfl_xor(y, x, 1);
    shfl(z, x, 5);
    thread for (int t = 0; t < 32; t++) d[b][t] = y[DMINDEX1(32, t)] - z[DMINDEX1(32, t)];
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(h, d, B, 32);
  gmem_free(d);
}
