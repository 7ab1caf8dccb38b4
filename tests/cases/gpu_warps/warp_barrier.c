// A barrier of a warp orders the accesses of its lanes.
// expect: VERIFIED
// run: clean
// also: standin
// mutate: "warpsync();\n" -> ";\n" => REFUTED[OG341] s[32 * w + (l ^ 1)]
//   run: OG210 s[32 * w + l]
// mutate: "s[32 * w + (l ^ 1)]" -> "s[32 * (1 - w) + l]" => REFUTED[OG340] s[32 * w + l] = d[b][32 * w + l];
//   run: OG210 s[32 * w + l]
// mutate: "warpsync();\n" -> "blocksync();\n" => REFUTED[OG345] blocksync();
//   run: OG221 blocksync()
// mutate: "w < 2; w++) {" -> "w < 4; w++) {"
//   => REFUTED[OG347] thread for (int l = 0; l < 32; l++) s[32 * w + l] = d[b][32 * w + l];
//   run: OG220 thread for (int l = 0; l < 32; l++) s[32 * w + l] = d[b][32 * w + l];

void f(int B, float h[B][64]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 64, A)");
  __produces("h ~> Matrix2(B, 64, fun b t -> A(b, t % 2 == 0 ? t + 1 : t - 1))");
  float* const d = __gmem_malloc2<float>(B, 64);
  memcpy_host_to_device2(d, h, B, 64);
  kernel_launch(B, 64, 64 * sizeof(float));
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ float s[64];
    thread for (int w = 0; w < 2; w++) {
      thread for (int l = 0; l < 32; l++) s[32 * w + l] = d[b][32 * w + l];
      warpsync();
      thread for (int l = 0; l < 32; l++) d[b][32 * w + l] = s[32 * w + (l ^ 1)];
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(h, d, B, 64);
  gmem_free(d);
}
