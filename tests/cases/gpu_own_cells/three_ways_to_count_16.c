// Three nests of thread loops that count the same 16 threads.
// expect: VERIFIED
// run: clean
// also: standin
// mutate: "d[b][2 * i + j] += 1.0f" -> "d[b][8 * j + i] += 1.0f" => REFUTED[OG341] d[b][8 * j + i] += 1.0f;
//   run: OG210 d[b][8 * j + i]
// mutate: "d[b][8 * i + 4 * j + k]" -> "d[b][4 * i + 8 * j + k]" => REFUTED[OG341] d[b][4 * i + 8 * j + k] += 1.0f;
//   run: OG210 d[b][4 * i + 8 * j + k]
//   also: schedules, standin

void f(int B, float h[B][16]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 16, A)");
  __produces("h ~> Matrix2(B, 16, fun b t -> A(b, t) + 3)");
  float* const d = __gmem_malloc2<float>(B, 16);
  memcpy_host_to_device2(d, h, B, 16);
  kernel_launch(B, 16, 0);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    thread for (int i = 0; i < 2; i++)
      thread for (int j = 0; j < 8; j++) d[b][8 * i + j] += 1.0f;
    thread for (int i = 0; i < 8; i++)
      thread for (int j = 0; j < 2; j++) d[b][2 * i + j] += 1.0f;
    thread for (int i = 0; i < 2; i++)
      thread for (int j = 0; j < 2; j++)
        thread for (int k = 0; k < 4; k++) d[b][8 * i + 4 * j + k] += 1.0f;
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(h, d, B, 16);
  gmem_free(d);
}
