// Rows start aligned if their length is a multiple of the vector's.
// expect: VERIFIED
// run: clean
// also: standin
// mutate: "m % 2 == 0" -> "m >= 2" => REFUTED[OG353] vload2(&r[0], &d[i][2 * j])
//   run: OG229 vload2(&r[0], &d[i][2 * j])
// mutate: "vload2(&r[0], &d[i][2 * j])" -> "vload4(&r[0], &d[i][2 * j])" => REFUTED[OG353] vload4(&r[0], &d[i][2 * j])
//   run: OG201 vload4(&r[0], &d[i][2 * j])
// mutate: "&d[i][2 * j], &r[0]" -> "&d[i][2 * j + 1], &r[0]" => REFUTED[OG340] vstore2(&d[i][2 * j + 1], &r[0]);
//   run: OG229 vstore2(&d[i][2 * j + 1], &r[0])

void f(int n, int m, float h[n][m]) {
  __requires("A: int * int -> float, pairs: m % 2 == 0");
  __consumes("h ~> Matrix2(n, m, A)");
  __produces("h ~> Matrix2(n, m, fun i j -> j < 2 * (m / 2) ? A(i, j) + 1 : A(i, j))");
  float* const d = __gmem_malloc2<float>(n, m);
  memcpy_host_to_device2(d, h, n, m);
  kernel_launch(n * (m / 2), 1, 0);
  kernel_setup_end();
  thread for (int i = 0; i < n; i++) {
    thread for (int j = 0; j < m / 2; j++) {
      float r[2];
      vload2(&r[0], &d[i][2 * j]);
      r[0] += 1.0f;
      r[1] += 1.0f;
      vstore2(&d[i][2 * j], &r[0]);
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(h, d, n, m);
  gmem_free(d);
}
