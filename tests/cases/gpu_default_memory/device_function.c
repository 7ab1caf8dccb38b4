// A device function with a magic barrier: it synchronises the group that calls it. It gets no default memory.
// expect: VERIFIED
// run: clean
// mutate: "  magic_barrier();\n}" -> "}" => UNPROVED[OG341] for i in 0..4 -> &x[i] ~~>[GMem] A(i)
// mutate: "g(e);" -> "g(h);" => REFUTED[OG348] g(h);
//   run: OG223 g(h)

__device__ void g(float x[4]) {
  __preserves("ThreadsCtx(4)");
  __requires("A: int -> float");
  __consumes("desync_for i in ..4 -> &x[i] ~~>[GMem] A(i)");
  __produces("for i in 0..4 -> &x[i] ~~>[GMem] A(i)");
  magic_barrier();
}
void f(float h[4]) {
  __requires("A: int -> float");
  __consumes("h ~> Matrix1(4, A)");
  __produces("h ~> Matrix1(4, fun i -> A(3 - i) )");
  float* const d = __gmem_malloc1<float>(4);
  float* const e = __gmem_malloc1<float>(4);
  memcpy_host_to_device1(d, h, 4);
  kernel_launch(1, 4, 0);
  kernel_setup_end();
  thread for (int t = 0; t < 4; t++) e[t] = d[t];
  g(e);
  thread for (int t = 0; t < 4; t++) d[t] = e[3 - t];
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(h, d, 4);
  gmem_free(d);
  gmem_free(e);
}
