// A barrier passes on only what is held. (A hole of the published system.)
// expect: VERIFIED
// mutate: "x[DMINDEX1(8, t)] = 1.0f;" -> "" => REFUTED[OG304] x[DMINDEX1(8, t)]
// mutate: "{ x[DMINDEX1(8, t)] = 1.0f; }" -> "{ if (t > 0) { x[DMINDEX1(8, t)] = 1.0f; } }"
//   => REFUTED[OG304] x[DMINDEX1(8, t)]; }

void f(int G, float d[G][8]) {
  __requires("D: int * int -> float, G >= 0");
  __consumes("d ~> Matrix2Of(G, 8, GMem, D)");
  __produces("d ~> Matrix2Of(G, 8, GMem, fun b t -> 1)");
  kernel_launch(G, 8, 256);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {
    float* const x = __treg_malloc0<float>();
    thread for (int t = 0; t < 8; t++) { x[DMINDEX1(8, t)] = 1.0f; }
    blocksync();
    thread for (int t = 0; t < 8; t++) { d[b][t] = x[DMINDEX1(8, t)]; }
  }
  kernel_teardown_begin();
  kernel_kill();
}
