// A magic thread loop in the code of a block: no thread executes it, so it cannot access shared memory.
// expect: REFUTED[OG348] s[2 * t + 1]
// run: OG223 s[2 * t + 1]

void f(int B, float h[B][8]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 8, A)");
  __produces("h ~> Matrix2(B, 8, fun b t -> A(b, 7 - (t - t % 2)))");
  float* const d = __gmem_malloc2<float>(B, 8);
  memcpy_host_to_device2(d, h, B, 8);
  kernel_launch(B, 8, 8 * sizeof(float));
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ float s[8];
    thread for (int t = 0; t < 8; t++) s[t] = d[b][t];
    magic_barrier();
    magic thread for (int t = 0; t < 4; t++) s[2 * t] = s[2 * t + 1];
    magic_barrier();
    thread for (int t = 0; t < 8; t++) d[b][t] = s[7 - t];
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(h, d, B, 8);
  gmem_free(d);
}
