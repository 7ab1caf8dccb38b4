// A block has at most 1024 threads.
// expect: VERIFIED
// run: clean
// also: standin
// mutate: "kernel_launch(1, 1024, 232448)" -> "kernel_launch(1, 2048, 0)" => REFUTED[OG349] kernel_launch(1, 2048, 0);
//   run: OG227 kernel_launch(1, 2048, 0)
// mutate: "kernel_launch(1, 1024, 232448)" -> "kernel_launch(1, 1024, 232449)"
//   => REFUTED[OG349] kernel_launch(1, 1024, 232449);
//   run: OG227 kernel_launch(1, 1024, 232449)
// mutate: "kernel_launch(1, 1024, 232448)" -> "kernel_launch(1, 0, 0)" => REFUTED[OG349] kernel_launch(1, 0, 0);
//   run: OG227 kernel_launch(1, 0, 0)
// mutate: "kernel_launch(1, 1024, 232448)" -> "kernel_launch(0 - 1, 1024, 0)"
//   => REFUTED[OG349] kernel_launch(0 - 1, 1024, 0);
//   run: OG227 kernel_launch(0 - 1, 1024, 0)
// mutate: "kernel_launch(1, 1024, 232448)" -> "kernel_launch(0, 1024, 0)" => REFUTED[OG346] d[t] += 1.0f;
//   run: OG212 h ~> Matrix1(1024, fun i -> A(i) + 1)
// mutate: "kernel_launch(1, 1024, 232448)" -> "kernel_launch(2, 1024, 0)" => REFUTED[OG346] d[t] += 1.0f;
//   run: OG228 d[t]

void f(float h[1024]) {
  __requires("A: int -> float");
  __consumes("h ~> Matrix1(1024, A)");
  __produces("h ~> Matrix1(1024, fun i -> A(i) + 1)");
  float* const d = __gmem_malloc1<float>(1024);
  memcpy_host_to_device1(d, h, 1024);
  kernel_launch(1, 1024, 232448);
  kernel_setup_end();
  thread for (int t = 0; t < 1024; t++) d[t] += 1.0f;
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(h, d, 1024);
  gmem_free(d);
}
