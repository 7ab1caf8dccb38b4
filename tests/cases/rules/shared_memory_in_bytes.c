// The shared memory of a launch is counted in bytes.
// expect: VERIFIED
// mutate: "kernel_launch(G, 8, 32)" -> "kernel_launch(G, 8, 31)" => REFUTED[OG349] float s
// mutate: "s[8];" -> "s[9];" => REFUTED[OG349] float s
// mutate: "__shared__ float s[8]" -> "__shared__ double s[8]" => REFUTED[OG349] double s

void f(int G, float d[G][8]) {
  __requires("D: int * int -> float, G >= 0");
  __consumes("d ~> Matrix2Of(G, 8, GMem, D)");
  __produces("d ~> Matrix2Of(G, 8, GMem, fun b t -> D(b, t))");
  kernel_launch(G, 8, 32);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {
    __shared__ float s[8];
    thread for (int t = 0; t < 8; t++) { s[t] = d[b][t]; }
    thread for (int t = 0; t < 8; t++) { d[b][t] = s[t]; }
  }
  kernel_teardown_begin();
  kernel_kill();
}
