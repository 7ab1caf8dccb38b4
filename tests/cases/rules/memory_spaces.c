// Memory spaces: who may access which, and how arrays are copied.
// expect: VERIFIED
// mutate: "d[b] += 1.0f" -> "a[b] += 1.0f" => REFUTED[OG305] a ~> Matrix1(n, fun i -> A(i) + 1)
// mutate: "memcpy_device_to_host1(a, d, n)" -> "for (int i = 0; i < n; i++) a[i] = d[i]" => REFUTED[OG348] d[i]
// mutate: "memcpy_host_to_device1(d, a, n)" -> "memcpy_device_to_host1(d, a, n)"
//   => REFUTED[OG348] memcpy_device_to_host1(d, a, n);
// mutate: "  memcpy_host_to_device1(d, a, n);\n" -> "" => REFUTED[OG304] d[b]
// mutate: "  gmem_free(d);\n" -> "" => REFUTED[OG308] float* const d = __gmem_malloc1<float>(n)
// mutate: "  gmem_free(d);\n" -> "  free(d);\n" => REJECTED[OG114] free(d)
// mutate: "memcpy_device_to_host1(a, d, n);\n  gmem_free(d);" -> "gmem_free(d);\n  memcpy_device_to_host1(a, d, n);"
//   => REFUTED[OG316] memcpy_device_to_host1(a, d, n);

void f(int n, float a[n]) {
  __requires("A: int -> float, n >= 0");
  __consumes("a ~> Matrix1(n, A)");
  __produces("a ~> Matrix1(n, fun i -> A(i) + 1)");
  float* const d = __gmem_malloc1<float>(n);
  memcpy_host_to_device1(d, a, n);
  kernel_launch(n, 1, 0);
  kernel_setup_end();
  thread for (int b = 0; b < n; b++) { d[b] += 1.0f; }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(a, d, n);
  gmem_free(d);
}
