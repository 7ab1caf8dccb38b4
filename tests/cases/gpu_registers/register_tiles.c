// A small array in the registers of each thread.
// expect: VERIFIED
// run: clean
// also: standin
// mutate: "= x[DMINDEX1(4, t)][j]" -> "= x[DMINDEX1(4, j)][j]" => REFUTED[OG344] x[DMINDEX1(4, j)][j]
//   run: OG224 x[DMINDEX1(4, j)][j]
// mutate: "= x[DMINDEX1(4, t)][j]" -> "= x[DMINDEX1(4, t)][j + 1]" => REFUTED[OG302] x[DMINDEX1(4, t)][j + 1]
//   run: OG201 x[DMINDEX1(4, t)][j + 1]
// mutate: "blocksync();\n" -> ";\n" => REFUTED[OG342] d[b][2 * t + j] = x[DMINDEX1(4, t)][j];
//   run: OG210 d[b][2 * t + j]
// mutate: "j < 2; j++) x[" -> "j < 1; j++) x[" => REFUTED[OG304] x[DMINDEX1(4, t)][j];
//   run: OG202 x[DMINDEX1(4, t)][j];

void f(int B, float h[B][8]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 8, A)");
  __produces("h ~> Matrix2(B, 8, fun b t -> A(b, 4 * (t % 2) + t / 2))");
  float* const d = __gmem_malloc2<float>(B, 8);
  memcpy_host_to_device2(d, h, B, 8);
  kernel_launch(B, 4, 0);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    float* const x = __treg_malloc1<float>(2);
    thread for (int t = 0; t < 4; t++)
      for (int j = 0; j < 2; j++) x[DMINDEX1(4, t)][j] = d[b][4 * j + t];
    blocksync();
    thread for (int t = 0; t < 4; t++)
      for (int j = 0; j < 2; j++) d[b][2 * t + j] = x[DMINDEX1(4, t)][j];
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(h, d, B, 8);
  gmem_free(d);
}
