// Vector accesses to shared memory.
// expect: VERIFIED
// run: clean
// also: standin
// mutate: "s[2][8];" -> "s[2][9];" => REFUTED[OG349] float s
//   run: OG225 float s
// mutate: "&s[1][2 * t]" -> "&s[1][2 * t + 1]" => REFUTED[OG353] vload2(&q[0], &s[1][2 * t + 1])
//   run: OG229 vload2(&q[0], &s[1][2 * t + 1])
// mutate: "blocksync();\n" -> ";\n" => REFUTED[OG342] d[b][2 * t] = r[0];
//   run: OG210 vload2(&r[0], &s[0][2 * t])

void f(int B, float h[B][8]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 8, A)");
  __produces("h ~> Matrix2(B, 8, fun b t -> A(b, t))");
  float* const d = __gmem_malloc2<float>(B, 8);
  memcpy_host_to_device2(d, h, B, 8);
  kernel_launch(B, 4, 16 * sizeof(float));
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ float s[2][8];
    thread for (int t = 0; t < 4; t++) {
      s[t % 2][t] = d[b][t];
      s[t % 2][t + 4] = d[b][t + 4];
      s[1 - t % 2][t] = 0.0f;
      s[1 - t % 2][t + 4] = 0.0f;
    }
    blocksync();
    thread for (int t = 0; t < 4; t++) {
      float r[2];
      float q[2];
      vload2(&r[0], &s[0][2 * t]);
      vload2(&q[0], &s[1][2 * t]);
      d[b][2 * t] = r[0];
      d[b][2 * t + 1] = q[1];
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(h, d, B, 8);
  gmem_free(d);
}
