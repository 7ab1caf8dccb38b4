// Barrier rule: after a barrier, the block sees what its threads wrote.
// expect: VERIFIED
// mutate: "    blocksync();\n" -> "" => REFUTED[OG341] s[7 - t]
// mutate: "    blocksync();\n" -> "    if (b == 0) { blocksync(); }\n" => REFUTED[OG341] s[7 - t]
// mutate: "    blocksync();\n" -> "    for (int q = 0; q < b; q++) { blocksync(); }\n" => REFUTED[OG341] s[7 - t]
// mutate: "    blocksync();\n" -> "    thread for (int t = 0; t < 8; t++) { blocksync(); }\n" => REFUTED[OG345] blocksync();
// mutate: "    blocksync();\n" -> "    thread for (int t = 0; t < 2; t++) { blocksync(); }\n" => REFUTED[OG345] blocksync();
// mutate: "    blocksync();\n" -> "    warpsync();\n" => REFUTED[OG345] warpsync();

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
  }
  kernel_teardown_begin();
  kernel_kill();
}
