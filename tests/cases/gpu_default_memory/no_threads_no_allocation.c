// A group without threads allocates nothing: what it would allocate says nothing of the size.
// expect: UNPROVED[OG336] out[0] = n + 1;
// mutate: "kernel_launch(0, 32, 0);" -> "float* const s = MALLOC1(float, n); free(s); kernel_launch(0, 32, 0);" => VERIFIED

void f(int64_t n, int64_t out[1]) {
  __requires("n_pos: n >= 0");
  __consumes("out ~> Cells1(1)");
  __produces("out ~> Cells1(1)");
  kernel_launch(0, 32, 0);
  kernel_setup_end();
  float* const t = __treg_malloc1<float>(n);
  kernel_teardown_begin();
  kernel_kill();
  out[0] = n + 1;
}
