// Code of the setup and teardown phases is checked. (A hole of the published system.)
// expect: VERIFIED
// mutate: "  kernel_setup_end();\n" -> "  d[0][0] = 5.0f;\n  kernel_setup_end();\n" => REFUTED[OG348] d[0][0] = 5.0f;
// mutate: "  kernel_kill();\n" -> "  d[0][0] = 5.0f;\n  kernel_kill();\n" => REFUTED[OG348] d[0][0] = 5.0f;

void f(int G, float d[G][8]) {
  __requires("D: int * int -> float, G >= 0");
  __consumes("d ~> Matrix2Of(G, 8, GMem, D)");
  __produces("d ~> Matrix2Of(G, 8, GMem, fun b t -> D(b, t) + 1)");
  kernel_launch(G, 8, 256);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {
    thread for (int t = 0; t < 8; t++) { d[b][t] += 1.0f; }
  }
  kernel_teardown_begin();
  kernel_kill();
}
