// A barrier under a condition that all threads of the block decide alike.
// expect: VERIFIED
// run: clean
// also: standin
// mutate: "blocksync();\n" -> ";\n" => REFUTED[OG341] s[7 - t]
//   run: OG210 s[7 - t]
//   also: schedules
// mutate: "blocksync();\n" -> "thread for (int t = 0; t < 8; t++) if (t < 4) blocksync();\n" => REFUTED[OG345] blocksync();
//   run: OG221 blocksync()
// mutate: "blocksync();\n" -> "thread for (int t = 0; t < 8; t++) blocksync();\n" => REFUTED[OG345] blocksync();
//   run: OG221 blocksync()
// mutate: "blocksync();\n" -> "thread for (int g = 0; g < 2; g++) blocksync();\n" => REFUTED[OG345] blocksync();
//   run: OG221 blocksync()

void f(int B, float h[B][8]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 8, A)");
  __produces("h ~> Matrix2(B, 8, fun b t -> b % 2 == 0 ? A(b, 7 - t) : A(b, t))");
  float* const d = __gmem_malloc2<float>(B, 8);
  memcpy_host_to_device2(d, h, B, 8);
  kernel_launch(B, 8, 8 * sizeof(float));
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ float s[8];
    thread for (int t = 0; t < 8; t++) s[t] = d[b][t];
    if (b % 2 == 0) {
      blocksync();
      thread for (int t = 0; t < 8; t++) d[b][t] = s[7 - t];
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(h, d, B, 8);
  gmem_free(d);
}
