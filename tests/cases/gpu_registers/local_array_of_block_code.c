// A local array declared in block code is one array for each thread.
// expect: VERIFIED
// run: clean
// also: standin
// mutate: "= x[t] + 1.0f" -> "= x[7 - t] + 1.0f" => REFUTED[OG344] x[7 - t]
//   run: OG202 x[7 - t]
// mutate: "blocksync();" -> "x[0] = 1.0f;" => REFUTED[OG344] x[0] = 1.0f;
//   run: OG212 h ~> Matrix2(B, 8, fun b t -> A(b, t) + 1)
// mutate: "blocksync();" -> "const float y = x[0];" => REFUTED[OG344] x[0]
//   run: OG202 x[0]

void f(int B, float h[B][8]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 8, A)");
  __produces("h ~> Matrix2(B, 8, fun b t -> A(b, t) + 1)");
  float* const d = __gmem_malloc2<float>(B, 8);
  memcpy_host_to_device2(d, h, B, 8);
  kernel_launch(B, 8, 0);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    float x[8];
    thread for (int t = 0; t < 8; t++) x[t] = d[b][t];
    blocksync();
    thread for (int t = 0; t < 8; t++) d[b][t] = x[t] + 1.0f;
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(h, d, B, 8);
  gmem_free(d);
}
