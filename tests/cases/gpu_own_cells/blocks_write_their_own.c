// Blocks write only their own cells.
// expect: VERIFIED
// run: clean
// also: standin
// mutate: "e[4 * b + t] = d[4 * b + t] + d[4 * b]" -> "d[4 * b + t] = d[4 * b + t] + d[4 * b]"
//   => REFUTED[OG340] d[4 * b + t] = d[4 * b + t] + d[4 * b];
//   run: OG210 d[4 * b]
// mutate: "e[4 * b + t] =" -> "e[3 * b + t] =" => REFUTED[OG340] e[3 * b + t] = d[4 * b + t] + d[4 * b];
//   run: OG210 e[3 * b + t]
//   also: standin
// mutate: "e[4 * b + t] =" -> "e[4 * t + b] =" => REFUTED[OG340] e[4 * t + b] = d[4 * b + t] + d[4 * b];
//   run: OG201 e[4 * t + b]
// mutate: "d[4 * b];" -> "e[4 * b];" => REFUTED[OG340] e[4 * b + t] = d[4 * b + t] + e[4 * b];
//   run: OG202 e[4 * b]
// mutate: "n % 4 == 0" -> "n >= 0" => REFUTED[OG316] memcpy_device_to_host1(h, e, n);
//   run: OG202 memcpy_device_to_host1(h, e, n)

void f(int n, float h[n]) {
  __requires("A: int -> float, blocks: n % 4 == 0");
  __consumes("h ~> Matrix1(n, A)");
  __produces("h ~> Matrix1(n, fun i -> A(i) + A(4 * (i / 4)))");
  float* const d = __gmem_malloc1<float>(n);
  float* const e = __gmem_malloc1<float>(n);
  memcpy_host_to_device1(d, h, n);
  kernel_launch(n / 4, 4, 0);
  kernel_setup_end();
  thread for (int b = 0; b < n / 4; b++)
    thread for (int t = 0; t < 4; t++) e[4 * b + t] = d[4 * b + t] + d[4 * b];
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(h, e, n);
  gmem_free(d);
  gmem_free(e);
}
