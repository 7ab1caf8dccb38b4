// Device functions called by threads.
// expect: VERIFIED
// mutate: "put(&d[b][t])" -> "put(&d[b][0])" => REFUTED[OG340] put(&d[b][0]);
// mutate: "put(&d[b][t])" -> "put(&d[b][t + 1])" => REFUTED[OG302] put(&d[b][t + 1]);
// mutate: "    thread for (int t = 0; t < 8; t++) { put(&d[b][t]); }" -> "    put(d[b]);" => REFUTED[OG346] put(d[b]);
// mutate: "__device__ void" -> "void" => REFUTED[OG348] p[0] = 7.0f;
// mutate: "p[0] = 7.0f" -> "p[0] = 8.0f" => REFUTED[OG305] &p[0] ~~>[GMem] 7
// mutate: "p[0] = 7.0f" -> "p[1] = 7.0f" => REFUTED[OG302] p[1] = 7.0f;

__device__ void put(float p[1]) {
  __writes("&p[0] ~~>[GMem] 7");
  p[0] = 7.0f;
}
void f(int G, float d[G][8]) {
  __requires("D: int * int -> float, G >= 0");
  __consumes("d ~> Matrix2Of(G, 8, GMem, D)");
  __produces("d ~> Matrix2Of(G, 8, GMem, fun b t -> 7)");
  kernel_launch(G, 8, 256);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {
    thread for (int t = 0; t < 8; t++) { put(&d[b][t]); }
  }
  kernel_teardown_begin();
  kernel_kill();
}
