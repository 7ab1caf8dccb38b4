// A store in block code must be done by a single thread.
// expect: VERIFIED
// run: clean
// also: standin
// mutate: "thread for (int t = 0; t < 2; t++)" -> "for (int t = 0; t < 2; t++)" => REFUTED[OG346] d[b][2 * g + t] = 1.0f;
//   run: OG228 d[b][2 * g + t]
// mutate: "thread for (int g = 0; g < 4; g++)" -> "for (int g = 0; g < 4; g++)" => REFUTED[OG346] d[b][2 * g + t] = 1.0f;
//   run: OG228 d[b][2 * g + t]
// mutate: "g < 4; g++" -> "g < 5; g++" => REFUTED[OG347] thread for (int g = 0; g < 5; g++)
//   run: OG220 thread for (int g = 0; g < 5; g++)
// mutate: "t < 2; t++" -> "t < 2 * b; t++" => REFUTED[OG340] d[b][2 * g + t] = 1.0f;
//   run: OG220 thread for (int t = 0; t < 2 * b; t++)
// mutate: "d[b][2 * g + t]" -> "d[b][2 * g]" => REFUTED[OG340] d[b][2 * g] = 1.0f;
//   run: OG210 d[b][2 * g]
//   also: schedules
// mutate: "d[b][2 * g + t]" -> "d[0][2 * g + t]" => REFUTED[OG340] d[0][2 * g + t] = 1.0f;
//   run: OG210 d[0][2 * g + t]

void f(int B, float h[B][8]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 8, A)");
  __produces("h ~> Matrix2(B, 8, fun b t -> 1)");
  float* const d = __gmem_malloc2<float>(B, 8);
  memcpy_host_to_device2(d, h, B, 8);
  kernel_launch(B, 8, 0);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    thread for (int g = 0; g < 4; g++)
      thread for (int t = 0; t < 2; t++) d[b][2 * g + t] = 1.0f;
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(h, d, B, 8);
  gmem_free(d);
}
