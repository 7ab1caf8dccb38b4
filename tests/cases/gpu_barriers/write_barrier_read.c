// A barrier lets a thread read what another thread of its block wrote.
// expect: VERIFIED
// run: clean
// also: standin
// mutate: "blocksync();\n" -> ";\n" => REFUTED[OG341] s[7 - t]
//   run: OG210 s[7 - t]
//   also: schedules, standin
// mutate: "blocksync();\n" -> "warpsync();\n" => REFUTED[OG345] warpsync();
//   run: OG221 warpsync()
// mutate: "s[7 - t]" -> "s[8 - t]" => REFUTED[OG302] s[8 - t]
//   run: OG201 s[8 - t]
// mutate: "d[b][t] = s[7 - t]" -> "d[b][7 - t] = s[7 - t]" => REFUTED[OG305] h ~> Matrix2(B, 8, fun b t -> A(b, 7 - t))
//   run: OG212 h ~> Matrix2(B, 8, fun b t -> A(b, 7 - t))
// mutate: "s[t] = d[b][t]" -> "s[t / 2] = d[b][t]" => REFUTED[OG340] s[t / 2] = d[b][t];
//   run: OG210 s[t / 2]
// mutate: "int t = 0; t < 8; t++) s[t]" -> "int t = 0; t < 4; t++) s[t]" => REFUTED[OG346] s[t] = d[b][t];
//   run: OG228 s[t]

void f(int B, float h[B][8]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 8, A)");
  __produces("h ~> Matrix2(B, 8, fun b t -> A(b, 7 - t))");
  float* const d = __gmem_malloc2<float>(B, 8);
  memcpy_host_to_device2(d, h, B, 8);
  kernel_launch(B, 8, 8 * sizeof(float));
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ float s[8];
    thread for (int t = 0; t < 8; t++) s[t] = d[b][t];
    blocksync();
    thread for (int t = 0; t < 8; t++) d[b][t] = s[7 - t];
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(h, d, B, 8);
  gmem_free(d);
}
