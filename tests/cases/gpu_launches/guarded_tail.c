// A grid that is larger than the array, with a guard.
// expect: VERIFIED
// run: clean
// also: standin
// mutate: "if (i < n) d[i]" -> "d[i]" => REFUTED[OG302] d[i] = 2.0f * d[i];
//   run: OG201 d[i];
// mutate: "if (i < n) d[i]" -> "if (i <= n) d[i]" => REFUTED[OG302] d[i] = 2.0f * d[i];
//   run: OG201 d[i];
// mutate: "kernel_launch((n + 7) / 8, 8, 0)" -> "kernel_launch(n / 8, 8, 0)"
//   => REFUTED[OG347] thread for (int b = 0; b < (n + 7) / 8; b++)
//   run: OG212 h ~> Matrix1(n, fun i -> 2 * A(i))
// mutate: "kernel_launch((n + 7) / 8, 8, 0)" -> "kernel_launch((n + 7) / 8, 16, 0)" => REFUTED[OG346] d[i] = 2.0f * d[i];
//   run: OG228 d[i] = 2.0f * d[i];
// mutate: "kernel_launch((n + 7) / 8, 8, 0)" -> "kernel_launch((n + 7) / 8 + 1, 8, 0)"
//   => REFUTED[OG347] thread for (int b = 0; b < (n + 7) / 8; b++)
//   run: OG220 thread for (int b = 0; b < (n + 7) / 8; b++)
// mutate: "t < 8; t++" -> "t < 3; t++" => REFUTED[OG347] thread for (int t = 0; t < 3; t++)
//   run: OG220 thread for (int t = 0; t < 3; t++)
// mutate: "t < 8; t++" -> "t < 4; t++" => REFUTED[OG346] d[i] = 2.0f * d[i];
//   run: OG228 d[i] = 2.0f * d[i];
// mutate: "8 * b + t" -> "7 * b + t" => REFUTED[OG340] d[i] = 2.0f * d[i];
//   run: OG210 d[i];
// mutate: "t = 0; t < 8" -> "t = 1; t < 9" => REFUTED[OG347] thread for (int t = 1; t < 9; t++)
//   run: OG212 h ~> Matrix1(n, fun i -> 2 * A(i))

void f(int n, float h[n]) {
  __requires("A: int -> float");
  __consumes("h ~> Matrix1(n, A)");
  __produces("h ~> Matrix1(n, fun i -> 2 * A(i))");
  float* const d = __gmem_malloc1<float>(n);
  memcpy_host_to_device1(d, h, n);
  kernel_launch((n + 7) / 8, 8, 0);
  kernel_setup_end();
  thread for (int b = 0; b < (n + 7) / 8; b++) {
    thread for (int t = 0; t < 8; t++) {
      const int i = 8 * b + t;
      if (i < n) d[i] = 2.0f * d[i];
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(h, d, n);
  gmem_free(d);
}
