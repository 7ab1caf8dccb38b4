// Source lanes, distances and types of shuffles.
// expect: VERIFIED
// mutate: "], 1);" -> "], 2);" => REFUTED[OG305] d ~> Matrix2Of(G, 32, GMem, fun b t -> t < 31 ? D(b, t + 1) : D(b, t))
// mutate: "], 1);" -> "], 32);" => REFUTED[OG354] shfl_down(&y[DMINDEX1(32, 0)], &x[DMINDEX1(32, 0)], 32);
// mutate: "shfl_down" -> "shfl_up" => REFUTED[OG305] d ~> Matrix2Of(G, 32, GMem, fun b t -> t < 31 ? D(b, t + 1) : D(b, t))
// mutate: "&x[DMINDEX1(32, 0)], 1" -> "&y[DMINDEX1(32, 0)], 1"
//   => REFUTED[OG304] shfl_down(&y[DMINDEX1(32, 0)], &y[DMINDEX1(32, 0)], 1);
// mutate: "&x[DMINDEX1(32, 0)], 1" -> "&x[DMINDEX1(32, 1)], 1"
//   => REFUTED[OG302] shfl_down(&y[DMINDEX1(32, 0)], &x[DMINDEX1(32, 1)], 1);
// mutate: "{ x[DMINDEX1(32, t)] = d[b][t]; }" -> "{ if (t > 0) { x[DMINDEX1(32, t)] = d[b][t]; } }"
//   => REFUTED[OG304] shfl_down(&y[DMINDEX1(32, 0)], &x[DMINDEX1(32, 0)], 1);
// mutate: "t < 31 ? D(b, t + 1) : D(b, t)" -> "t < 31 ? D(b, t + 1) : D(b, 0)"
//   => REFUTED[OG305] d ~> Matrix2Of(G, 32, GMem, fun b t -> t < 31 ? D(b, t + 1) : D(b, 0))

void f(int G, float d[G][32]) {
  __requires("D: int * int -> float, G >= 0");
  __consumes("d ~> Matrix2Of(G, 32, GMem, D)");
  __produces("d ~> Matrix2Of(G, 32, GMem, fun b t -> t < 31 ? D(b, t + 1) : D(b, t))");
  kernel_launch(G, 32, 0);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {
    float* const x = __treg_malloc0<float>();
    float* const y = __treg_malloc0<float>();
    thread for (int t = 0; t < 32; t++) { x[DMINDEX1(32, t)] = d[b][t]; }
    shfl_down(&y[DMINDEX1(32, 0)], &x[DMINDEX1(32, 0)], 1);
    thread for (int t = 0; t < 32; t++) { d[b][t] = y[DMINDEX1(32, t)]; }
  }
  kernel_teardown_begin();
  kernel_kill();
}
