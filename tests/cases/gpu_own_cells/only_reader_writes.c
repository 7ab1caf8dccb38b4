// A thread may write a cell if no other thread has read it.
// expect: VERIFIED
// run: clean
// also: standin
// mutate: "x[DMINDEX1(8, t)] = s[t]" -> "x[DMINDEX1(8, t)] = s[t] + 0.0f * s[0]"
//   => REFUTED[OG342] s[t] = x[DMINDEX1(8, t)] + 1.0f;
//   run: OG210 s[t] = x[DMINDEX1(8, t)] + 1.0f;
// mutate: "blocksync();\n" -> ";\n" => REFUTED[OG342] d[b][t] = s[t];
//   run: OG210 d[b][t]

void f(int B, float h[B][8]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 8, A)");
  __produces("h ~> Matrix2(B, 8, fun b t -> A(b, 7 - t) + 1)");
  float* const d = __gmem_malloc2<float>(B, 8);
  memcpy_host_to_device2(d, h, B, 8);
  kernel_launch(B, 8, 8 * sizeof(float));
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ float s[8];
    thread for (int t = 0; t < 8; t++) s[t] = d[b][7 - t];
    blocksync();
    float* const x = __treg_malloc0<float>();
    thread for (int t = 0; t < 8; t++) x[DMINDEX1(8, t)] = s[t];
    thread for (int t = 0; t < 8; t++) s[t] = x[DMINDEX1(8, t)] + 1.0f;
    thread for (int t = 0; t < 8; t++) d[b][t] = s[t];
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(h, d, B, 8);
  gmem_free(d);
}
