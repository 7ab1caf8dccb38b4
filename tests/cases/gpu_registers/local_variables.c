// Local variables of a thread.
// expect: VERIFIED
// run: clean
// also: standin
// mutate: "r[1] = 1.0f;" -> ";" => REFUTED[OG304] r[j]
//   run: OG202 r[j]
// mutate: "float sum = 0.0f;" -> "float sum;" => REFUTED[OG304] sum += r[j];
//   run: OG202 sum += r[j];
// mutate: "j < 2; j++) sum" -> "j <= 2; j++) sum" => REFUTED[OG302] r[j]
//   run: OG201 r[j]

void f(int B, float h[B][8]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 8, A)");
  __produces("h ~> Matrix2(B, 8, fun b t -> A(b, t) + 1)");
  float* const d = __gmem_malloc2<float>(B, 8);
  memcpy_host_to_device2(d, h, B, 8);
  kernel_launch(B, 8, 0);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    thread for (int t = 0; t < 8; t++) {
      float r[2];
      r[0] = d[b][t];
      r[1] = 1.0f;
      float sum = 0.0f;
      for (int j = 0; j < 2; j++) sum += r[j];
      d[b][t] = sum;
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(h, d, B, 8);
  gmem_free(d);
}
