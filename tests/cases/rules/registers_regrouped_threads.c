// Registers follow their thread through differently nested thread loops.
// expect: VERIFIED
// mutate: "d[b][4 * i + j] = x" -> "d[b][2 * j + i] = x" => REFUTED[OG342] d[b][2 * j + i] = x[DMINDEX2(2, 4, i, j)] + 1.0f;
// mutate: "x[DMINDEX2(2, 4, i, j)]" -> "x[DMINDEX2(4, 2, j, i)]" => REFUTED[OG344] x[DMINDEX2(4, 2, j, i)]
// mutate: "int i = 0; i < 2" -> "int i = 0; i < 4" => REFUTED[OG347] thread for (int j = 0; j < 4; j++)

void f(int G, float d[G][8]) {
  __requires("D: int * int -> float, G >= 0");
  __consumes("d ~> Matrix2Of(G, 8, GMem, D)");
  __produces("d ~> Matrix2Of(G, 8, GMem, fun b t -> D(b, t) + 1)");
  kernel_launch(G, 8, 256);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {
    float* const x = __treg_malloc0<float>();
    thread for (int t = 0; t < 8; t++) { x[DMINDEX1(8, t)] = d[b][t]; }
    thread for (int i = 0; i < 2; i++) thread for (int j = 0; j < 4; j++) { d[b][4 * i + j] = x[DMINDEX2(2, 4, i, j)] + 1.0f; }
  }
  kernel_teardown_begin();
  kernel_kill();
}
