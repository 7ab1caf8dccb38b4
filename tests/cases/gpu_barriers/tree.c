// A reduction tree in shared memory.
// expect: VERIFIED
// run: clean
// also: standin
// mutate: "blocksync();\n" -> ";\n" => REFUTED[OG341] s[t + half]
//   run: OG210 s[t + half]
//   also: schedules
// mutate: "if (t < half)" -> "if (t <= half)" => REFUTED[OG302] s[t + half]
//   run: OG201 s[t + half]
// mutate: "int half = 4" -> "int half = 2"
//   => REFUTED[OG305] h ~> Matrix2(B, 8, fun b t -> t == 0 ? Sum(k in 0..8, A(b, k)) : A(b, t))
//   run: OG212 h ~> Matrix2(B, 8, fun b t -> t == 0 ? Sum(k in 0..8, A(b, k)) : A(b, t))
// mutate: "if (t == 0) d[b][0] = s[0]" -> "d[b][0] = s[0]" => REFUTED[OG340] d[b][0] = s[0];
//   run: OG210 s[0]
//   also: standin
// mutate: "if (t == 0) d[b][0] = s[0]" -> "if (t == 1) d[b][0] = s[0]" => REFUTED[OG341] s[0]
//   run: OG210 s[0]

void f(int B, float h[B][8]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 8, A)");
  __produces("h ~> Matrix2(B, 8, fun b t -> t == 0 ? Sum(k in 0..8, A(b, k)) : A(b, t))");
  float* const d = __gmem_malloc2<float>(B, 8);
  memcpy_host_to_device2(d, h, B, 8);
  kernel_launch(B, 8, 8 * sizeof(float));
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ float s[8];
    thread for (int t = 0; t < 8; t++) s[t] = d[b][t];
    for (int half = 4; half > 0; half >>= 1) {
      blocksync();
      thread for (int t = 0; t < 8; t++) if (t < half) s[t] += s[t + half];
    }
    thread for (int t = 0; t < 8; t++) if (t == 0) d[b][0] = s[0];
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(h, d, B, 8);
  gmem_free(d);
}
