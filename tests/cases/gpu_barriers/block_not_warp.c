// A barrier of the block cannot be reached by one warp alone.
// expect: VERIFIED
// run: clean
// also: standin
// mutate: "blocksync();\n" -> "thread for (int w = 0; w < 2; w++) if (w == 0) blocksync();\n" => REFUTED[OG345] blocksync();
//   run: OG221 blocksync()
// mutate: "blocksync();\n" -> "thread for (int w = 0; w < 2; w++) warpsync();\n" => REFUTED[OG341] s[32 * (1 - w) + l]
//   run: OG210 s[32 * (1 - w) + l]
// mutate: "blocksync();\n" -> "warpsync();\n" => REFUTED[OG345] warpsync();
//   run: OG221 warpsync()

void f(int B, float h[B][64]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 64, A)");
  __produces("h ~> Matrix2(B, 64, fun b t -> A(b, t < 32 ? t + 32 : t - 32))");
  float* const d = __gmem_malloc2<float>(B, 64);
  memcpy_host_to_device2(d, h, B, 64);
  kernel_launch(B, 64, 64 * sizeof(float));
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ float s[64];
    thread for (int t = 0; t < 64; t++) s[t] = d[b][t];
    blocksync();
    thread for (int w = 0; w < 2; w++)
      thread for (int l = 0; l < 32; l++) d[b][32 * w + l] = s[32 * (1 - w) + l];
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(h, d, B, 64);
  gmem_free(d);
}
