// Vector accesses: alignment, bounds and ownership.
// expect: VERIFIED
// mutate: "vstore4(&d[b][4 * t]" -> "vstore4(&d[b][4 * t + 1]" => REFUTED[OG340] vstore4(&d[b][4 * t + 1], &r[0]);
// mutate: "vload4(&r[0], &d[b][4 * t])" -> "vload4(&r[0], &d[b][2 * t])" => REFUTED[OG340] vstore4(&d[b][4 * t], &r[0]);
// mutate: "vload4(&r[0], &d[b][4 * t])" -> "vload2(&r[0], &d[b][4 * t])" => REFUTED[OG304] r[i]
// mutate: "vstore4(&d[b][4 * t]" -> "vstore4(&d[b][0]" => REFUTED[OG340] vstore4(&d[b][0], &r[0]);
// mutate: "float r[4]" -> "float r[3]" => REFUTED[OG302] vload4(&r[0], &d[b][4 * t]);

void f(int G, float d[G][8]) {
  __requires("D: int * int -> float, G >= 0");
  __consumes("d ~> Matrix2Of(G, 8, GMem, D)");
  __produces("d ~> Matrix2Of(G, 8, GMem, fun b t -> D(b, t) + 1)");
  kernel_launch(G, 2, 0);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) thread for (int t = 0; t < 2; t++) {
    float r[4];
    vload4(&r[0], &d[b][4 * t]);
    for (int i = 0; i < 4; i++) r[i] += 1.0f;
    vstore4(&d[b][4 * t], &r[0]);
  }
  kernel_teardown_begin();
  kernel_kill();
}
