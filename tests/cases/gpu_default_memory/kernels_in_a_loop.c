// Kernels one after the other on default memory: the end of a kernel orders it, for the host and for the next one.
// expect: VERIFIED
// run: clean
// mutate: "a[i] = b[7 - i]" -> "a[i] = a[7 - i]" => REFUTED[OG340] a[i] = a[7 - i];
//   run: OG210 a[7 - i]

void f(int n, float a[8], float b[8]) {
  __requires("A: int -> float, n_pos: n >= 0");
  __consumes("a ~> Matrix1(8, A)");
  __produces("a ~> Cells1(8)");
  __consumes("b ~> Cells1(8)");
  __produces("b ~> Cells1(8)");
  for (int k = 0; k < n; k++) {
    kernel_launch(2, 4, 0);
    kernel_setup_end();
    magic thread for (int i = 0; i < 8; i++) a[i] = b[7 - i];
    kernel_teardown_begin();
    kernel_kill();
    for (int i = 0; i < 8; i++) b[i] = a[i];
  }
}
