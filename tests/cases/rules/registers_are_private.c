// Registers are private to their thread, whatever barriers there are.
// expect: VERIFIED
// mutate: "2.0f * x[DMINDEX1(8, t)]" -> "2.0f * x[DMINDEX1(8, 7 - t)]" => REFUTED[OG344] x[DMINDEX1(8, 7 - t)]
// mutate: "2.0f * x[DMINDEX1(8, t)]" -> "2.0f * x[DMINDEX1(8, 0)]" => REFUTED[OG344] x[DMINDEX1(8, 0)]
// mutate: "x[DMINDEX1(8, t)] = d[b][t]" -> "x[DMINDEX1(8, (t + 1) % 8)] = d[b][t]"
//   => REFUTED[OG344] x[DMINDEX1(8, (t + 1) % 8)] = d[b][t];

void f(int G, float d[G][8]) {
  __requires("D: int * int -> float, G >= 0");
  __consumes("d ~> Matrix2Of(G, 8, GMem, D)");
  __produces("d ~> Matrix2Of(G, 8, GMem, fun b t -> 2 * D(b, t))");
  kernel_launch(G, 8, 256);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {
    float* const x = __treg_malloc0<float>();
    thread for (int t = 0; t < 8; t++) { x[DMINDEX1(8, t)] = d[b][t]; }
    blocksync();
    thread for (int t = 0; t < 8; t++) { d[b][t] = 2.0f * x[DMINDEX1(8, t)]; }
  }
  kernel_teardown_begin();
  kernel_kill();
}
