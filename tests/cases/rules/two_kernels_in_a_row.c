// A second kernel sees what the first one wrote.
// expect: VERIFIED
// mutate: "  kernel_teardown_begin();\n  kernel_kill();\n  kernel_launch(G, 1, 0);\n  kernel_setup_end();\n" -> ""
//   => REFUTED[OG343] d[G - 1 - b]
// mutate: "e[b] = d[G - 1 - b]" -> "d[b] = d[G - 1 - b]; e[b] = d[b]" => REFUTED[OG340] d[b] = d[G - 1 - b];
// mutate: "  kernel_kill();\n  kernel_launch" -> "  kernel_launch" => REFUTED[OG350] 2nd kernel_launch(G, 1, 0);
// mutate: "kernel_launch(G, 1, 0);\n  kernel_setup_end();\n  thread for (int b = 0; b < G; b++) { d"
//   -> "kernel_launch(G, 0, 0);\n  kernel_setup_end();\n  thread for (int b = 0; b < G; b++) { d"
//   => REFUTED[OG349] kernel_launch(G, 0, 0);
// mutate: "kernel_launch(G, 1, 0);\n  kernel_setup_end();\n  thread for (int b = 0; b < G; b++) { d"
//   -> "kernel_launch(G, 2, 0);\n  kernel_setup_end();\n  thread for (int b = 0; b < G; b++) { d"
//   => REFUTED[OG346] d[b] += 1.0f;

void f(int G, float d[G], float e[G]) {
  __requires("D: int -> float, G >= 0");
  __consumes("d ~> Matrix1Of(G, GMem, D)");
  __consumes("e ~> UninitMatrix1Of(G, GMem)");
  __produces("d ~> Matrix1Of(G, GMem, fun i -> D(i) + 1), e ~> Matrix1Of(G, GMem, fun i -> D(G - 1 - i) + 1)");
  kernel_launch(G, 1, 0);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) { d[b] += 1.0f; }
  kernel_teardown_begin();
  kernel_kill();
  kernel_launch(G, 1, 0);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) { e[b] = d[G - 1 - b]; }
  kernel_teardown_begin();
  kernel_kill();
}
