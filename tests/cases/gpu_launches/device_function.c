// Threads call device functions.
// expect: VERIFIED
// run: clean
// also: standin
// mutate: "__device__ float" -> "float" => REFUTED[OG346] add_one(d[b][t])
//   run: OG226 add_one(d[b][t])
// mutate: "return x + 1.0f" -> "return x + 2.0f" => REFUTED[OG307] _Res == x + 1
//   run: OG212 _Res == x + 1

__device__ float add_one(float x) {
  __ensures("_Res == x + 1");
  return x + 1.0f;
}
void f(int B, float h[B][8]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 8, A)");
  __produces("h ~> Matrix2(B, 8, fun b t -> A(b, t) + 1)");
  float* const d = __gmem_malloc2<float>(B, 8);
  memcpy_host_to_device2(d, h, B, 8);
  kernel_launch(B, 8, 0);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    thread for (int t = 0; t < 8; t++) d[b][t] = add_one(d[b][t]);
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(h, d, B, 8);
  gmem_free(d);
}
