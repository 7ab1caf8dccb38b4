// A thread uses its own cells again without a barrier.
// expect: VERIFIED
// run: clean
// also: standin
// mutate: "d[b][t] = s[t];" -> "d[b][t] = s[t ^ 1];" => REFUTED[OG341] s[t ^ 1]
//   run: OG210 s[t ^ 1]
// mutate: "s[t] = s[t] + 1.0f;" -> "s[7 - t] = s[7 - t] + 1.0f;" => REFUTED[OG341] s[7 - t] = s[7 - t] + 1.0f;
//   run: OG210 s[7 - t] + 1.0f;
//   also: schedules

void f(int B, float h[B][8]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 8, A)");
  __produces("h ~> Matrix2(B, 8, fun b t -> A(b, t) + 1)");
  float* const d = __gmem_malloc2<float>(B, 8);
  memcpy_host_to_device2(d, h, B, 8);
  kernel_launch(B, 8, 8 * sizeof(float));
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ float s[8];
    thread for (int t = 0; t < 8; t++) s[t] = d[b][t];
    thread for (int t = 0; t < 8; t++) s[t] = s[t] + 1.0f;
    thread for (int t = 0; t < 8; t++) d[b][t] = s[t];
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(h, d, B, 8);
  gmem_free(d);
}
