// Thread loop rule: an empty grid writes nothing.
// expect: VERIFIED
// mutate: "G == 1" -> "G >= 0 && G <= 1" => REFUTED[OG306] d ~> Matrix1Of(8, GMem, fun t -> 1)
// mutate: "G == 1" -> "G >= 1 && G <= 2" => REFUTED[OG340] d[t] = 1.0f;
// mutate: "kernel_launch(G, 8, 0)" -> "kernel_launch(0, 8, 0)" => REFUTED[OG346] d[t] = 1.0f;

void f(int G, float d[8]) {
  __requires("G == 1");
  __consumes("d ~> UninitMatrix1Of(8, GMem)");
  __produces("d ~> Matrix1Of(8, GMem, fun t -> 1)");
  kernel_launch(G, 8, 0);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) thread for (int t = 0; t < 8; t++) { d[t] = 1.0f; }
  kernel_teardown_begin();
  kernel_kill();
}
