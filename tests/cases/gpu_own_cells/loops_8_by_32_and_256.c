// Thread loops of 8 x 32 and of 256 iterations name the same threads.
// expect: VERIFIED
// run: clean
// also: standin
// mutate: "s[32 * y + x] = d[b][32 * y + x]" -> "s[8 * x + y] = d[b][8 * x + y]" => REFUTED[OG342] d[b][t] = 2.0f * s[t];
//   run: OG210 s[t]
// mutate: "2.0f * s[t]" -> "2.0f * s[255 - t]" => REFUTED[OG341] s[255 - t]
//   run: OG210 s[255 - t]

void f(int B, float h[B][256]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 256, A)");
  __produces("h ~> Matrix2(B, 256, fun b t -> 2 * A(b, t))");
  float* const d = __gmem_malloc2<float>(B, 256);
  memcpy_host_to_device2(d, h, B, 256);
  kernel_launch(B, 256, 256 * sizeof(float));
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ float s[256];
    thread for (int y = 0; y < 8; y++)
      thread for (int x = 0; x < 32; x++) s[32 * y + x] = d[b][32 * y + x];
    thread for (int t = 0; t < 256; t++) d[b][t] = 2.0f * s[t];
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(h, d, B, 256);
  gmem_free(d);
}
