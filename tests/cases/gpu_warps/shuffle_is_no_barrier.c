// A shuffle orders no accesses to memory.
// expect: VERIFIED
// run: clean
// also: standin
// mutate: "warpsync();\n" -> ";\n" => REFUTED[OG341] s[t ^ 1]
//   run: OG210 s[t ^ 1]
//   also: schedules

void f(int B, float h[B][32]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 32, A)");
  __produces("h ~> Matrix2(B, 32, fun b t -> A(b, t % 2 == 0 ? t + 1 : t - 1) + 1)");
  float* const d = __gmem_malloc2<float>(B, 32);
  memcpy_host_to_device2(d, h, B, 32);
  kernel_launch(B, 32, 32 * sizeof(float));
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ float s[32];
    float* const x = __treg_malloc0<float>();
    float* const y = __treg_malloc0<float>();
    thread for (int t = 0; t < 32; t++) {
      s[t] = d[b][t];
      x[DMINDEX1(32, t)] = 1.0f;
    }
    shfl_xor(y, x, 1);
    warpsync();
    thread for (int t = 0; t < 32; t++) d[b][t] = s[t ^ 1] + y[DMINDEX1(32, t)];
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(h, d, B, 32);
  gmem_free(d);
}
