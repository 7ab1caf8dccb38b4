// Shared arrays in scopes one after the other.
// expect: VERIFIED
// run: clean
// also: standin
// mutate: "double u[4]" -> "double u[5]" => REFUTED[OG349] double u
//   run: OG225 double u
// mutate: "float s[8];" -> "float s[8]; __shared__ float v[1];" => REFUTED[OG349] float v
//   run: OG225 float v
// mutate: "__syncthreads();" -> ";" => REFUTED[OG341] u[t - 4]
//   run: OG210 u[t - 4]
// mutate: "u[t - 4]" -> "u[t - 3]" => REFUTED[OG302] u[t - 3]
//   run: OG201 u[t - 3]

void f(int B, float h[B][8]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 8, A)");
  __produces("h ~> Matrix2(B, 8, fun b t -> A(b, 7 - t % 4))");
  float* const d = __gmem_malloc2<float>(B, 8);
  memcpy_host_to_device2(d, h, B, 8);
  kernel_launch(B, 8, 32);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    {
      __shared__ float s[8];
      thread for (int t = 0; t < 8; t++) s[t] = d[b][t];
      blocksync();
      thread for (int t = 0; t < 8; t++) d[b][t] = s[7 - t];
      blocksync();
    }
    {
      __shared__ double u[4];
      thread for (int t = 0; t < 8; t++) if (t < 4) u[t] = d[b][t];
      __syncthreads();
      thread for (int t = 0; t < 8; t++) if (t > 3) d[b][t] = u[t - 4];
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(h, d, B, 8);
  gmem_free(d);
}
