// Two buffers need one barrier in each iteration.
// expect: VERIFIED
// run: clean
// also: standin
// mutate: "s[(k + 1) % 2][t]" -> "s[k % 2][t]" => REFUTED[OG340] s[k % 2][t] = s[k % 2][(t + 1) % 8];
//   run: OG210 s[k % 2][t]
// mutate: "blocksync();\n" -> ";\n" => REFUTED[OG341] s[k % 2][(t + 1) % 8]
//   run: OG210 s[k % 2][(t + 1) % 8]
// mutate: "d[b][t] = s[0][t]" -> "d[b][t] = s[0][7 - t]" => REFUTED[OG341] s[0][7 - t]
//   run: OG210 s[0][7 - t]
//   also: schedules

void f(int B, float h[B][8]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 8, A)");
  __produces("h ~> Matrix2(B, 8, fun b t -> A(b, (t + 4) % 8))");
  float* const d = __gmem_malloc2<float>(B, 8);
  memcpy_host_to_device2(d, h, B, 8);
  kernel_launch(B, 8, 16 * sizeof(float));
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ float s[2][8];
    thread for (int t = 0; t < 8; t++) s[0][t] = d[b][t];
    for (int k = 0; k < 4; k++) {
      blocksync();
      thread for (int t = 0; t < 8; t++) s[(k + 1) % 2][t] = s[k % 2][(t + 1) % 8];
    }
    thread for (int t = 0; t < 8; t++) d[b][t] = s[0][t];
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(h, d, B, 8);
  gmem_free(d);
}
