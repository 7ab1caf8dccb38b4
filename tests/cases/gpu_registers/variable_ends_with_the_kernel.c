// A variable of the grid does not exist after the kernel.
// expect: VERIFIED
// mutate: "y = 1;" -> "y = c;" => REJECTED[OG100] 2nd c;

void variable(int G, float d[G][8]) {
  __requires("D: int * int -> float, G >= 0");
  __consumes("d ~> Matrix2Of(G, 8, GMem, D)");
  __produces("d ~> Matrix2Of(G, 8, GMem, fun b t -> D(b, t) + 2)");
  kernel_launch(G, 8, 0);
  kernel_setup_end();
  float c = 1;
  c = c + 1;
  thread for (int b = 0; b < G; b++) {
    thread for (int t = 0; t < 8; t++) d[b][t] = d[b][t] + c;
  }
  kernel_teardown_begin();
  kernel_kill();
  float y = 0;
  y = 1;
}
