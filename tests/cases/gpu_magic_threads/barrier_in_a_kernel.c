// A magic barrier in a kernel orders everything that its group did, in any memory but registers.
// expect: VERIFIED
// run: clean
// mutate: "magic_barrier();" -> ";" => REFUTED[OG341] s[7 - t]
//   run: OG210 s[7 - t]

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
    magic_barrier();
    thread for (int t = 0; t < 8; t++) d[b][t] = s[7 - t];
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(h, d, B, 8);
  gmem_free(d);
}
