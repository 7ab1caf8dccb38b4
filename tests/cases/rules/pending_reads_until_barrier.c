// A pending read blocks later writes by other threads until a barrier, across loops too.
// expect: VERIFIED
// mutate: "    __syncthreads();\n" -> "" => REFUTED[OG342] s[t] = 1.0f;
// mutate: "    blocksync();\n" -> "" => REFUTED[OG341] s[7 - t]
// mutate: "    __syncthreads();\n" -> "    if (b > 0) { __syncthreads(); }\n" => REFUTED[OG342] s[t] = 1.0f;

void f(int G, float d[G][8]) {
  __requires("D: int * int -> float, G >= 0");
  __consumes("d ~> Matrix2Of(G, 8, GMem, D)");
  __produces("d ~> Matrix2Of(G, 8, GMem, fun b t -> 2 * D(b, 7 - t))");
  kernel_launch(G, 8, 256);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {
    __shared__ float s[8];
    thread for (int t = 0; t < 8; t++) { s[t] = d[b][t]; }
    blocksync();
    float* const x = __treg_malloc0<float>();
    thread for (int t = 0; t < 8; t++) { x[DMINDEX1(8, t)] = 0.0f; }
    for (int q = 0; q < 2; q++) {
      thread for (int t = 0; t < 8; t++) { x[DMINDEX1(8, t)] += s[7 - t]; }
    }
    __syncthreads();
    thread for (int t = 0; t < 8; t++) { s[t] = 1.0f; d[b][t] = x[DMINDEX1(8, t)]; }
  }
  kernel_teardown_begin();
  kernel_kill();
}
