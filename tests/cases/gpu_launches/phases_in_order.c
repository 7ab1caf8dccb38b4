// The parts of a launch come in their order.
// expect: VERIFIED
// run: clean
// also: standin
// mutate: "  kernel_kill();\n" -> "" => REFUTED[OG350] memcpy_device_to_host2(h, d, B, 8);
//   run: OG226 memcpy_device_to_host2(h, d, B, 8)
// mutate: "  kernel_setup_end();\n" -> "" => REFUTED[OG350] thread for (int b = 0; b < B; b++)
//   run: OG226 thread for (int b = 0; b < B; b++)
// mutate: "  kernel_setup_end();\n" -> "  kernel_setup_end();\n  kernel_setup_end();\n"
//   => REFUTED[OG350] 2nd kernel_setup_end();
//   run: OG226 2nd kernel_setup_end();
// mutate: "  kernel_teardown_begin();\n" -> "" => REFUTED[OG350] kernel_teardown_sync();
//   run: OG226 kernel_setup_end();
// mutate: "  kernel_launch(B, 8, 8 * sizeof(float));\n" -> "" => REFUTED[OG350] kernel_setup_end();
//   run: OG226 kernel_setup_end();
// mutate: "  kernel_setup_end();\n" -> "  kernel_launch(B, 8, 0);\n  kernel_setup_end();\n"
//   => REFUTED[OG350] kernel_launch(B, 8, 0);
//   run: OG226 kernel_launch(B, 8, 0)
// mutate: "  kernel_kill();\n" -> "  memcpy_device_to_host2(h, d, B, 8);\n  kernel_kill();\n"
//   => REFUTED[OG350] 1st memcpy_device_to_host2(h, d, B, 8);
//   run: OG226 1st memcpy_device_to_host2(h, d, B, 8);
// mutate: "  kernel_setup_end();\n" -> "  kernel_teardown_sync();\n  kernel_setup_end();\n" => REFUTED[OG350] 1st kernel_teardown_sync();
//   run: OG226 1st kernel_teardown_sync();
// mutate: "  kernel_setup_end();\n" -> "  kernel_setup_end();\n  kernel_teardown_sync();\n" => REFUTED[OG350] 1st kernel_teardown_sync();
//   run: OG226 1st kernel_teardown_sync();
// mutate: "  kernel_kill();\n" -> "  kernel_kill();\n  kernel_teardown_sync();\n" => REFUTED[OG350] 2nd kernel_teardown_sync();
//   run: OG226 2nd kernel_teardown_sync();
// mutate: "  kernel_kill();\n" -> "  kernel_kill();\n  blocksync();\n" => REFUTED[OG345] blocksync();
//   run: OG226 blocksync()
// mutate: "  kernel_kill();\n" -> "  kernel_kill();\n  thread for (int t = 0; t < 1; t++) h[0][0] = 0.0f;\n"
//   => REFUTED[OG350] thread for (int t = 0; t < 1; t++)
//   run: OG226 thread for (int t = 0; t < 1; t++)
// mutate: "  kernel_setup_end();\n" -> "  float* const e = __gmem_malloc1<float>(1);\n  kernel_setup_end();\n"
//   => REFUTED[OG350] float* const e = __gmem_malloc1<float>(1)
//   run: OG226 float* const e = __gmem_malloc1<float>(1)
// mutate: "__shared__ float s[8];" -> "__shared__ float s[8]; float* const u = __smem_malloc1<float>(8);"
//   => REFUTED[OG350] float* const u = __smem_malloc1<float>(8)
//   run: OG226 float* const u = __smem_malloc1<float>(8)
// mutate: "memcpy_host_to_device2(d, h, B, 8)" -> "memcpy_host_to_device2(d, h, 8, B)"
//   => REFUTED[OG317] memcpy_host_to_device2(d, h, 8, B);
//   run: OG218 memcpy_host_to_device2(d, h, 8, B)
// mutate: "s[t] = d[b][t];" -> "__shared__ float u[1]; s[t] = d[b][t];" => REFUTED[OG346] float u
//   run: OG221 float u

void f(int B, float h[B][8]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 8, A)");
  __produces("h ~> Matrix2(B, 8, fun b t -> A(b, t) + 1)");
  float* const d = __gmem_malloc2<float>(B, 8);
  memcpy_host_to_device2(d, h, B, 8);
  kernel_launch(B, 8, 8 * sizeof(float));
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ float s[8];
    thread for (int t = 0; t < 8; t++) {
      s[t] = d[b][t];
      d[b][t] = s[t] + 1.0f;
    }
  }
  kernel_teardown_begin();
  kernel_teardown_sync();
  kernel_kill();
  memcpy_device_to_host2(h, d, B, 8);
  gmem_free(d);
}
