// A value that the whole block reads.
// expect: VERIFIED
// run: clean
// also: standin
// mutate: "blocksync();\n" -> ";\n" => REFUTED[OG342] d[b][t] = first;
//   run: OG210 d[b][0]
// mutate: "const float first = d[b][0];" -> "float first = d[b][0]; first += 1.0f;"
//   => REFUTED[OG305] h ~> Matrix2(B, 8, fun b t -> A(b, 0))
//   run: OG212 h ~> Matrix2(B, 8, fun b t -> A(b, 0))

void f(int B, float h[B][8]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 8, A)");
  __produces("h ~> Matrix2(B, 8, fun b t -> A(b, 0))");
  float* const d = __gmem_malloc2<float>(B, 8);
  memcpy_host_to_device2(d, h, B, 8);
  kernel_launch(B, 8, 0);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    const float first = d[b][0];
    blocksync();
    thread for (int t = 0; t < 8; t++) d[b][t] = first;
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(h, d, B, 8);
  gmem_free(d);
}
