// There is no barrier for the whole grid.
// expect: VERIFIED
// run: clean
// also: standin
// mutate: "    blocksync();\n  }\n" -> "  }\n  blocksync();\n" => REFUTED[OG345] blocksync();
//   run: OG221 blocksync()
// mutate: "    blocksync();\n" -> "    thread for (int t = 0; t < 8; t++) blocksync();\n" => REFUTED[OG345] blocksync();
//   run: OG221 blocksync()

void f(int B, float h[B][8]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 8, A)");
  __produces("h ~> Matrix2(B, 8, fun b t -> 2 * A(b, t))");
  float* const d = __gmem_malloc2<float>(B, 8);
  memcpy_host_to_device2(d, h, B, 8);
  kernel_launch(B, 8, 0);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    thread for (int t = 0; t < 8; t++) d[b][t] = 2.0f * d[b][t];
    blocksync();
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(h, d, B, 8);
  gmem_free(d);
}
