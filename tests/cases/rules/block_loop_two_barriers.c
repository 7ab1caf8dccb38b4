// A sequential loop of a block needs both barriers of a pipeline.
// expect: VERIFIED
// mutate: "      __syncthreads();\n" -> "" => REFUTED[OG342] s[t] = x[DMINDEX1(8, t)];
// mutate: "      blocksync();\n" -> "" => REFUTED[OG341] s[(t + 1) % 8]
// mutate: "      blocksync();\n" -> "      if (q == 0) { blocksync(); }\n" => REFUTED[OG341] s[(t + 1) % 8]

void f(int G, float d[G][8]) {
  __requires("D: int * int -> float, G >= 0");
  __consumes("d ~> Matrix2Of(G, 8, GMem, D)");
  __produces("d ~> Matrix2Of(G, 8, GMem, fun b t -> 0)");
  kernel_launch(G, 8, 256);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {
    __shared__ float s[8];
    float* const x = __treg_malloc0<float>();
    thread for (int t = 0; t < 8; t++) { x[DMINDEX1(8, t)] = d[b][t]; }
    for (int q = 0; q < 4; q++) {
      thread for (int t = 0; t < 8; t++) { s[t] = x[DMINDEX1(8, t)]; }
      blocksync();
      thread for (int t = 0; t < 8; t++) { x[DMINDEX1(8, t)] = s[(t + 1) % 8]; }
      __syncthreads();
    }
    thread for (int t = 0; t < 8; t++) { d[b][t] = 0.0f; }
  }
  kernel_teardown_begin();
  kernel_kill();
}
