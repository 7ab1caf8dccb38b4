// Host code does not access device memory. Device code can use host memory as default memory, until it is converted.
// expect: VERIFIED
// run: clean
// also: standin
// mutate: "h[0] = h[0] + 2.0f - twice;" -> "d[0] = h[0];" => REFUTED[OG348] d[0] = h[0];
//   run: OG223 d[0]
// mutate: "h[0] = h[0] + 2.0f - twice;" -> "h[0] = d[0];" => REFUTED[OG348] d[0]
//   run: OG223 d[0]
// mutate: "d[b] = e[b] + d[b]" -> "h[b] = e[b] + d[b]" 
//   => REFUTED[OG305] h ~> Matrix1(n, fun i -> i == 0 ? 2 * A(i) + 5 : 2 * A(i))
//   run: OG212 h ~> Matrix1(n, fun i -> i == 0 ? 2 * A(i) + 5 : 2 * A(i))
// mutate: "d[b] = e[b] + d[b]" -> "d[b] = h[b] + d[b]" => VERIFIED
//   run: clean
// mutate: "? bias :" -> "? bias + twice :" 
//   => REFUTED[OG305] h ~> Matrix1(n, fun i -> i == 0 ? 2 * A(i) + 5 : 2 * A(i))
//   run: OG212 h ~> Matrix1(n, fun i -> i == 0 ? 2 * A(i) + 5 : 2 * A(i))
// mutate: "kernel_setup_end();" -> "twice = h[0]; kernel_setup_end();" => REFUTED[OG348] h[0]; kernel_setup_end();
// mutate: "memcpy_device_to_host1(h, d, n)" -> "memcpy_device_to_host1(d, h, n)"
//   => REFUTED[OG348] memcpy_device_to_host1(d, h, n);
//   run: OG223 memcpy_device_to_host1(d, h, n)
// mutate: "memcpy_device_to_host1(h, d, n)" -> "memcpy_host_to_device1(h, d, n)"
//   => REFUTED[OG348] memcpy_host_to_device1(h, d, n);
//   run: OG223 memcpy_host_to_device1(h, d, n)
// mutate: "memcpy_host_to_device1(d, h, n)" -> "memcpy_host_to_device1(d, h, n + 1)"
//   => REFUTED[OG316] memcpy_host_to_device1(d, h, n + 1);
//   run: OG201 memcpy_host_to_device1(d, h, n + 1)
// mutate: "memcpy_host_to_device1(d, h, n)" -> "memcpy_host_to_device1(d, h, n - 1)"
//   => REFUTED[OG316] memcpy_device_to_device1(e, d, n);
//   run: OG202 memcpy_device_to_device1(e, d, n)
// mutate: "gmem_free(e);" -> ";" => REFUTED[OG308] float* const e = __gmem_malloc1<float>(n)
//   run: OG205 float* const e = __gmem_malloc1<float>(n)
// mutate: "gmem_free(e);" -> "gmem_free(d);" => REFUTED[OG309] 2nd gmem_free(d);
//   run: OG204 2nd gmem_free(d);
// mutate: "kernel_setup_end();" -> "kernel_setup_end(); gmem_free(e);" => REFUTED[OG350] 1st gmem_free(e);
//   run: OG226 1st gmem_free(e);

void f(int n, float h[n]) {
  __requires("A: int -> float, some: n > 0");
  __consumes("h ~> Matrix1(n, A)");
  __produces("h ~> Matrix1(n, fun i -> i == 0 ? 2 * A(i) + 5 : 2 * A(i))");
  float* const d = __gmem_malloc1<float>(n);
  float* const e = __gmem_malloc1<float>(n);
  const float bias = 5.0f;
  float twice = 2.0f;
  twice = 2.0f;
  memcpy_host_to_device1(d, h, n);
  memcpy_device_to_device1(e, d, n);
  kernel_launch(n, 1, 0);
  kernel_setup_end();
  thread for (int b = 0; b < n; b++) d[b] = e[b] + d[b] + (b == 0 ? bias : 0.0f);
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(h, d, n);
  h[0] = h[0] + 2.0f - twice;
  gmem_free(d);
  gmem_free(e);
}
