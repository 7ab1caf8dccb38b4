// Vector accesses of four elements are aligned and within the array.
// expect: VERIFIED
// run: clean
// also: standin
// mutate: "vload4(&r[0], &d[b][4 * t])" -> "vload4(&r[0], &d[b][4 * t + 1])"
//   => REFUTED[OG353] vload4(&r[0], &d[b][4 * t + 1])
//   run: OG229 vload4(&r[0], &d[b][4 * t + 1])
// mutate: "vstore4(&d[b][4 * t], &r[0])" -> "vstore4(&d[b][2 * t], &r[0])" => REFUTED[OG340] vstore4(&d[b][2 * t], &r[0]);
//   run: OG229 vstore4(&d[b][2 * t], &r[0])
// mutate: "vload4(&r[0]" -> "vload4(&r[1]" => REFUTED[OG302] vload4(&r[1], &d[b][4 * t]);
//   run: OG201 vload4(&r[1], &d[b][4 * t])
// mutate: "vload4(&r[0], &d[b][4 * t])" -> "vload2(&r[0], &d[b][4 * t])" => REFUTED[OG304] r[j];
//   run: OG202 r[j];
// mutate: "vload4(&r[0], &d[b][4 * t])" -> "vload4(&d[b][4 * t], &r[0])" => REFUTED[OG304] vload4(&d[b][4 * t], &r[0]);
//   run: OG223 vload4(&d[b][4 * t], &r[0])
// mutate: "&d[b][4 * t], &r[0]" -> "&d[b][0], &r[0]" => REFUTED[OG340] vstore4(&d[b][0], &r[0]);
//   run: OG210 vstore4(&d[b][0], &r[0])
//   also: standin

void f(int B, float h[B][8]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 8, A)");
  __produces("h ~> Matrix2(B, 8, fun b t -> 2 * A(b, t))");
  float* const d = __gmem_malloc2<float>(B, 8);
  memcpy_host_to_device2(d, h, B, 8);
  kernel_launch(B, 2, 0);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    thread for (int t = 0; t < 2; t++) {
      float r[4];
      vload4(&r[0], &d[b][4 * t]);
      for (int j = 0; j < 4; j++) r[j] = 2.0f * r[j];
      vstore4(&d[b][4 * t], &r[0]);
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(h, d, B, 8);
  gmem_free(d);
}
