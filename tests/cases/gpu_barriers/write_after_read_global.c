// The same in global memory.
// expect: VERIFIED
// run: clean
// also: standin
// mutate: "blocksync();\n" -> ";\n" => REFUTED[OG342] d[b][t] = x[DMINDEX1(8, t)];
//   run: OG210 d[b][t]
// mutate: "d[b][(t + 1) % 8]" -> "d[b / 2][(t + 1) % 8]" => REFUTED[OG340] d[b][t] = x[DMINDEX1(8, t)];
//   run: OG210 d[b][t]

void f(int B, float h[B][8]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 8, A)");
  __produces("h ~> Matrix2(B, 8, fun b t -> A(b, (t + 1) % 8))");
  float* const d = __gmem_malloc2<float>(B, 8);
  memcpy_host_to_device2(d, h, B, 8);
  kernel_launch(B, 8, 0);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    float* const x = __treg_malloc0<float>();
    thread for (int t = 0; t < 8; t++) x[DMINDEX1(8, t)] = d[b][(t + 1) % 8];
    blocksync();
    thread for (int t = 0; t < 8; t++) d[b][t] = x[DMINDEX1(8, t)];
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(h, d, B, 8);
  gmem_free(d);
}
