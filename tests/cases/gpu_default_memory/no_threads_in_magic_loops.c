// No thread executes a magic loop of a kernel: registers, global memory and functions of threads are out of its reach.
// expect: VERIFIED
// run: clean
// mutate: "a[i] = k;" -> "r[i] = 1.0f;" => REFUTED[OG348] r[i] = 1.0f;
//   run: OG224 r[i]
// mutate: "a[i] = k;" -> "k = 2.0f;" => REFUTED[OG344] k = 2.0f;
//   run: OG224 k = 2.0f;
// mutate: "a[i] = k;" -> "a[i] = d[i];" => REFUTED[OG348] d[i]
//   run: OG223 d[i]
// mutate: "a[i] = k;" -> "d[i] = k;" => REFUTED[OG348] d[i] = k;
//   run: OG223 d[i]
// mutate: "a[i] = k;" -> "a[i] = one(k);" => REFUTED[OG350] one(k)
//   run: OG226 one(k)
// mutate: "a[i] = k;" -> "a[i] = k; kernel_teardown_begin();" => REFUTED[OG350] 2nd kernel_teardown_begin();

__device__ float one(float x) {
  __ensures("_Res =. 1");
  return 1.0f;
}

void f(float a[4]) {
  __writes("a ~> Matrix1(4, fun i -> 1)");
  float* const d = __gmem_malloc1<float>(4);
  kernel_launch(1, 4, 0);
  kernel_setup_end();
  float r[4];
  float k = 0.0f;
  k = 1.0f;
  thread for (int t = 0; t < 4; t++) d[t] = 1.0f;
  blocksync();
  magic thread for (int i = 0; i < 4; i++) a[i] = k;
  kernel_teardown_begin();
  kernel_kill();
  gmem_free(d);
}
