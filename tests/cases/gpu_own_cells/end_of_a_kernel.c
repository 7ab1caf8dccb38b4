// The end of a kernel orders all accesses, as a barrier does for a block.
// expect: VERIFIED
// run: clean
// also: standin
// mutate: "kernel_teardown_begin();\n  kernel_kill();\n  kernel_launch(B, 4, 0);\n  kernel_setup_end();\n" -> ""
//   => REFUTED[OG343] d[(b + 1) % B][t]
//   run: OG210 d[(b + 1) % B][t]
//   also: schedules
// mutate: "e[b][t] = d[(b + 1) % B][t]" -> "e[0][t] = d[(b + 1) % B][t]" => REFUTED[OG340] e[0][t] = d[(b + 1) % B][t];
//   run: OG210 e[0][t]
// mutate: "gmem_free(e);" -> ";" => REFUTED[OG308] float* const e = __gmem_malloc2<float>(B, 4)
//   run: OG205 float* const e = __gmem_malloc2<float>(B, 4)
// mutate: "memcpy_device_to_host2(h, e, B, 4);" -> "memcpy_device_to_host2(h, d, B, 4);"
//   => REFUTED[OG305] h ~> Matrix2(B, 4, fun b t -> A((b + 1) % B, t) + 1)
//   run: OG212 h ~> Matrix2(B, 4, fun b t -> A((b + 1) % B, t) + 1)

void f(int B, float h[B][4]) {
  __requires("A: int * int -> float, B_pos: B > 0");
  __consumes("h ~> Matrix2(B, 4, A)");
  __produces("h ~> Matrix2(B, 4, fun b t -> A((b + 1) % B, t) + 1)");
  float* const d = __gmem_malloc2<float>(B, 4);
  float* const e = __gmem_malloc2<float>(B, 4);
  memcpy_host_to_device2(d, h, B, 4);
  kernel_launch(B, 4, 0);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++)
    thread for (int t = 0; t < 4; t++) d[b][t] = d[b][t] + 1.0f;
  kernel_teardown_begin();
  kernel_kill();
  kernel_launch(B, 4, 0);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++)
    thread for (int t = 0; t < 4; t++) e[b][t] = d[(b + 1) % B][t];
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(h, e, B, 4);
  gmem_free(d);
  gmem_free(e);
}
