// Shared memory allocated in the setup phase and freed in the teardown phase.
// expect: VERIFIED
// run: clean
// also: standin
// mutate: "__smem_free1(s, 8);" -> ";" => REFUTED[OG351] kernel_kill();
//   run: OG205 float* const s = __smem_malloc1<float>(8)
// mutate: "__smem_free1(s, 8);" -> "__smem_free1(s, 7);" => REFUTED[OG351] 7);
//   run: OG204 __smem_free1(s, 7)
// mutate: "__smem_free1(s, 8);" -> "__smem_free1(s, 8); __smem_free1(s, 8);" => REFUTED[OG309] 2nd __smem_free1(s, 8);
//   run: OG204 2nd __smem_free1(s, 8);
// mutate: "= s[DMINDEX1(B, b)][7 - t]" -> "= s[DMINDEX1(B, (b + 1) % B)][7 - t]"
//   => REFUTED[OG344] s[DMINDEX1(B, b)][t] = d[b][t];
//   run: OG224 s[DMINDEX1(B, (b + 1) % B)][7 - t]
// mutate: "s[DMINDEX1(B, b)][t] = d[b][t]" -> "s[DMINDEX1(B, 0)][t] = d[b][t]"
//   => REFUTED[OG344] s[DMINDEX1(B, 0)][t] = d[b][t];
//   run: OG224 s[DMINDEX1(B, 0)][t]
// mutate: "blocksync();\n" -> ";\n" => REFUTED[OG341] s[DMINDEX1(B, b)][7 - t]
//   run: OG210 s[DMINDEX1(B, b)][7 - t]
// mutate: "8 * sizeof(float)" -> "7 * sizeof(float)" => REFUTED[OG349] float* const s = __smem_malloc1<float>(8)
//   run: OG225 float* const s = __smem_malloc1<float>(8)
// mutate: "8 * sizeof(float)" -> "8" => REFUTED[OG349] float* const s = __smem_malloc1<float>(8)
//   run: OG225 float* const s = __smem_malloc1<float>(8)
// mutate: "kernel_kill();" -> "kernel_kill(); s[DMINDEX1(1, 0)][0] = 1.0f;" => REFUTED[OG302] s[DMINDEX1(1, 0)][0] = 1.0f;
//   run: OG223 s[DMINDEX1(1, 0)][0]

void f(int B, float h[B][8]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 8, A)");
  __produces("h ~> Matrix2(B, 8, fun b t -> A(b, 7 - t))");
  float* const d = __gmem_malloc2<float>(B, 8);
  memcpy_host_to_device2(d, h, B, 8);
  kernel_launch(B, 8, 8 * sizeof(float));
  float* const s = __smem_malloc1<float>(8);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    thread for (int t = 0; t < 8; t++) s[DMINDEX1(B, b)][t] = d[b][t];
    blocksync();
    thread for (int t = 0; t < 8; t++) d[b][t] = s[DMINDEX1(B, b)][7 - t];
  }
  kernel_teardown_begin();
  __smem_free1(s, 8);
  kernel_kill();
  memcpy_device_to_host2(h, d, B, 8);
  gmem_free(d);
}
