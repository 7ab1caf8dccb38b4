// Reads are not handed back at the end of a thread loop. (A hole of the published system.)
// expect: VERIFIED
// mutate: "    __syncthreads();\n" -> "" => REFUTED[OG342] s[t] = 0.0f;

void f(int G, float d[G][8]) {
  __requires("D: int * int -> float, G >= 0");
  __consumes("d ~> Matrix2Of(G, 8, GMem, D)");
  __produces("d ~> Matrix2Of(G, 8, GMem, fun b t -> D(b, 7 - t))");
  kernel_launch(G, 8, 256);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {
    __shared__ float s[8];
    thread for (int t = 0; t < 8; t++) { s[t] = d[b][t]; }
    blocksync();
    thread for (int t = 0; t < 8; t++) { d[b][t] = s[7 - t]; }
    __syncthreads();
    thread for (int t = 0; t < 8; t++) { s[t] = 0.0f; }
  }
  kernel_teardown_begin();
  kernel_kill();
}
