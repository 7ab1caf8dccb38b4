// Threads of a block exchange data through global memory.
// expect: VERIFIED
// run: clean
// also: standin
// mutate: "blocksync();\n" -> ";\n" => REFUTED[OG341] d[b][t + 4]
//   run: OG210 d[b][t + 4]
// mutate: "if (t < 4) d[b][t]" -> "if (t < 5) d[b][t]" => REFUTED[OG302] d[b][t] = d[b][t] + 1.0f;
//   run: OG201 d[b][t + 4]
// mutate: "d[b][t] = d[b][t + 4]" -> "d[b][t + 1] = d[b][t + 4]" => REFUTED[OG340] d[b][t + 4]
//   run: OG210 d[b][t + 1]
//   also: standin

void f(int B, float h[B][8]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 8, A)");
  __produces("h ~> Matrix2(B, 8, fun b t -> A(b, t < 4 ? t + 4 : t) + 1)");
  float* const d = __gmem_malloc2<float>(B, 8);
  memcpy_host_to_device2(d, h, B, 8);
  kernel_launch(B, 8, 0);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    thread for (int t = 0; t < 8; t++) d[b][t] = d[b][t] + 1.0f;
    blocksync();
    thread for (int t = 0; t < 8; t++) if (t < 4) d[b][t] = d[b][t + 4];
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(h, d, B, 8);
  gmem_free(d);
}
