// Thread loop rule: each thread writes its own cell.
// expect: VERIFIED
// mutate: "d[b][t] += 1.0f" -> "d[b][t / 2] += 1.0f" => REFUTED[OG340] d[b][t / 2] += 1.0f;
// mutate: "d[b][t] += 1.0f" -> "d[b][7 - t] = d[b][t] + 1.0f" => REFUTED[OG340] d[b][7 - t] = d[b][t] + 1.0f;
// mutate: "d[b][t] += 1.0f" -> "d[0][t] += 1.0f" => REFUTED[OG340] d[0][t] += 1.0f;
// mutate: "int t = 0; t < 8" -> "int t = 0; t < 4" => REFUTED[OG346] d[b][t] += 1.0f;
// mutate: "int t = 0; t < 8" -> "int t = 1; t < 8" => REFUTED[OG347] thread for (int t = 1; t < 8; t++)
// mutate: "thread for (int t" -> "for (int t" => REFUTED[OG346] d[b][t] += 1.0f;

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
