// A barrier stands between a read and another thread's later write.
// expect: VERIFIED
// run: clean
// also: standin
// mutate: "__syncthreads();\n" -> ";\n" => REFUTED[OG342] s[t] = 0.0f;
//   run: OG210 s[t] = 0.0f;
// mutate: "blocksync();\n" -> ";\n" => REFUTED[OG341] s[(t + 1) % 8]
//   run: OG210 s[(t + 1) % 8]
// mutate: "+ s[t];" -> "+ s[7 - t];" => REFUTED[OG341] s[7 - t]
//   run: OG210 s[7 - t]
//   also: schedules

void f(int B, float h[B][8]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 8, A)");
  __produces("h ~> Matrix2(B, 8, fun b t -> A(b, (t + 1) % 8))");
  float* const d = __gmem_malloc2<float>(B, 8);
  memcpy_host_to_device2(d, h, B, 8);
  kernel_launch(B, 8, 8 * sizeof(float));
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ float s[8];
    float* const x = __treg_malloc0<float>();
    thread for (int t = 0; t < 8; t++) s[t] = d[b][t];
    blocksync();
    thread for (int t = 0; t < 8; t++) x[DMINDEX1(8, t)] = s[(t + 1) % 8];
    __syncthreads();
    thread for (int t = 0; t < 8; t++) s[t] = 0.0f;
    thread for (int t = 0; t < 8; t++) d[b][t] = x[DMINDEX1(8, t)] + s[t];
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(h, d, B, 8);
  gmem_free(d);
}
