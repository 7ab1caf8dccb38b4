// A shared array that is declared in a loop holds nothing at the start of an iteration.
// expect: VERIFIED
// run: clean
// also: standin
// mutate: "if (k < 2) s[t]" -> "if (k < 1) s[t]" => REFUTED[OG303] s[t] = d[b][t];
//   run: OG202 s[7 - t]
// mutate: "__syncthreads();\n" -> ";\n" => REFUTED[OG352] float s
//   run: OG210 s[t]
//   also: schedules
// mutate: "blocksync();\n" -> ";\n" => REFUTED[OG341] s[7 - t]
//   run: OG210 s[7 - t]

void f(int B, float h[B][8]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 8, A)");
  __produces("h ~> Matrix2(B, 8, fun b t -> A(b, t) + 2)");
  float* const d = __gmem_malloc2<float>(B, 8);
  memcpy_host_to_device2(d, h, B, 8);
  kernel_launch(B, 8, 8 * sizeof(float));
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    for (int k = 0; k < 2; k++) {
      __shared__ float s[8];
      thread for (int t = 0; t < 8; t++) if (k < 2) s[t] = d[b][t];
      blocksync();
      thread for (int t = 0; t < 8; t++) d[b][t] = s[7 - t] + 1.0f;
      __syncthreads();
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(h, d, B, 8);
  gmem_free(d);
}
