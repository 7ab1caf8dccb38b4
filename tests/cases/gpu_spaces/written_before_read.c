// Shared memory is written before it is read.
// expect: VERIFIED
// run: clean
// also: standin
// mutate: "if (t == 7) s[8] = 0.0f;" -> ";" => REFUTED[OG304] s[t + 1]
//   run: OG202 s[t + 1]
// mutate: "if (t == 7) s[8]" -> "if (t >= 6) s[8]" => REFUTED[OG340] s[t] = d[b][t];
//   run: OG210 s[8]
//   also: standin
// mutate: "float s[9];" -> "float s[8];" => REFUTED[OG302] s[t] = d[b][t];
//   run: OG201 s[8] = 0.0f;
// mutate: "9 * sizeof(float)" -> "8 * sizeof(float)" => REFUTED[OG349] float s
//   run: OG225 float s

void f(int B, float h[B][8]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 8, A)");
  __produces("h ~> Matrix2(B, 8, fun b t -> t < 7 ? A(b, t + 1) : 0)");
  float* const d = __gmem_malloc2<float>(B, 8);
  memcpy_host_to_device2(d, h, B, 8);
  kernel_launch(B, 8, 9 * sizeof(float));
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ float s[9];
    thread for (int t = 0; t < 8; t++) {
      s[t] = d[b][t];
      if (t == 7) s[8] = 0.0f;
    }
    blocksync();
    thread for (int t = 0; t < 8; t++) d[b][t] = s[t + 1];
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(h, d, B, 8);
  gmem_free(d);
}
