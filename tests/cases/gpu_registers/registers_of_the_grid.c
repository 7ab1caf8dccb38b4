// Registers of all threads of a grid, declared before the thread loops, end with the kernel.
// expect: VERIFIED
// also: annotated
// mutate: "= x[DMINDEX2(G, 8, b, t)] + 1" -> "= x[DMINDEX2(G, 8, b, 7 - t)] + 1"
//   => REFUTED[OG344] x[DMINDEX2(G, 8, b, 7 - t)]
// mutate: "x[DMINDEX2(G, 8, b, t)] = d[b][t] + 1;" -> "x[DMINDEX2(G, 8, b, t)] = d[b][t];"
//   => REFUTED[OG305] d ~> Matrix2Of(G, 8, GMem, fun b t -> D(b, t) + 2)
// mutate: "x[DMINDEX2(G, 8, b, t)] = d[b][t] + 1;" -> "d[b][t] = d[b][t] + 1;" => REFUTED[OG304] x[DMINDEX2(G, 8, b, t)]

void registers(int G, float d[G][8]) {
  __requires("D: int * int -> float, G >= 0");
  __consumes("d ~> Matrix2Of(G, 8, GMem, D)");
  __produces("d ~> Matrix2Of(G, 8, GMem, fun b t -> D(b, t) + 2)");
  kernel_launch(G, 8, 0);
  kernel_setup_end();
  float* const x = __treg_malloc0<float>();
  thread for (int b = 0; b < G; b++) {
    thread for (int t = 0; t < 8; t++) x[DMINDEX2(G, 8, b, t)] = d[b][t] + 1;
  }
  thread for (int b = 0; b < G; b++) {
    thread for (int t = 0; t < 8; t++) d[b][t] = x[DMINDEX2(G, 8, b, t)] + 1;
  }
  kernel_teardown_begin();
  kernel_kill();
}
