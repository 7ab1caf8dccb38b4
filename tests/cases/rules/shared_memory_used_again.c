// Shared memory is used again only after a barrier.
// expect: VERIFIED
// mutate: "      __syncthreads();\n" -> "" => REFUTED[OG352] for (int q = 0; q < 2; q++)
// mutate: "      blocksync();\n" -> "" => REFUTED[OG341] s[7 - t]
// mutate: "{ s[t] = 1.0f; }" -> "{ if (q == 0) { s[t] = 1.0f; } }" => REFUTED[OG304] s[7 - t]

void f(int G, float d[G][8]) {
  __requires("D: int * int -> float, G >= 0");
  __consumes("d ~> Matrix2Of(G, 8, GMem, D)");
  __produces("d ~> Matrix2Of(G, 8, GMem, fun b t -> 1)");
  kernel_launch(G, 8, 256);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {
    for (int q = 0; q < 2; q++) {
      __shared__ float s[8];
      thread for (int t = 0; t < 8; t++) { s[t] = 1.0f; }
      blocksync();
      thread for (int t = 0; t < 8; t++) { d[b][t] = s[7 - t]; }
      __syncthreads();
    }
  }
  kernel_teardown_begin();
  kernel_kill();
}
