// Registers keep their values across a barrier, and only their thread sees them.
// expect: VERIFIED
// run: clean
// also: standin
// mutate: "= x[DMINDEX1(8, t)]" -> "= x[DMINDEX1(8, 7 - t)]" => REFUTED[OG344] x[DMINDEX1(8, 7 - t)]
//   run: OG224 x[DMINDEX1(8, 7 - t)]
// mutate: "x[DMINDEX1(8, t)] = d[b][t]" -> "x[DMINDEX1(8, (t + 1) % 8)] = d[b][t]"
//   => REFUTED[OG344] x[DMINDEX1(8, (t + 1) % 8)] = d[b][t];
//   run: OG224 x[DMINDEX1(8, (t + 1) % 8)]
// mutate: "= x[DMINDEX1(8, t)]" -> "= x[DMINDEX1(8, 8)]" => REFUTED[OG302] x[DMINDEX1(8, 8)]
//   run: OG201 x[DMINDEX1(8, 8)]
// mutate: "blocksync();\n" -> ";\n" => REFUTED[OG342] d[b][7 - t] = x[DMINDEX1(8, t)];
//   run: OG210 d[b][7 - t]
//   also: schedules
// mutate: "t < 8; t++) x[" -> "t < 8; t++) if (t > 0) x[" => REFUTED[OG304] x[DMINDEX1(8, t)];
//   run: OG202 x[DMINDEX1(8, t)];
// mutate: "blocksync();\n" -> "const float y = x[DMINDEX1(8, 0)]; blocksync();\n" => REFUTED[OG344] x[DMINDEX1(8, 0)]
//   run: OG224 x[DMINDEX1(8, 0)]

void f(int B, float h[B][8]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 8, A)");
  __produces("h ~> Matrix2(B, 8, fun b t -> A(b, 7 - t))");
  float* const d = __gmem_malloc2<float>(B, 8);
  memcpy_host_to_device2(d, h, B, 8);
  kernel_launch(B, 8, 0);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    float* const x = __treg_malloc0<float>();
    thread for (int t = 0; t < 8; t++) x[DMINDEX1(8, t)] = d[b][t];
    blocksync();
    thread for (int t = 0; t < 8; t++) d[b][7 - t] = x[DMINDEX1(8, t)];
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(h, d, B, 8);
  gmem_free(d);
}
