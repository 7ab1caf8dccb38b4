// Double buffering in a loop, with all its barriers.
// expect: VERIFIED
// also: replay
// mutate: "      blocksync();\n    }\n" -> "    }\n" => REFUTED[OG341] s[k % 2][15 - t % 16]
// mutate: "    blocksync();\n    for" -> "    for" => REFUTED[OG341] s[k % 2][15 - t % 16]
// mutate: "s[(k + 1) % 2][t] = " -> "s[k % 2][t] = " => REFUTED[OG318] s[k % 2][t] = d[b][16 * (k + 1) + t];
// mutate: "s[k % 2][15 - t % 16]" -> "s[(k + 1) % 2][15 - t % 16]" => REFUTED[OG304] s[(k + 1) % 2][15 - t % 16]
// mutate: "s[0][t] = d[b][t]" -> "s[1][t] = d[b][t]" => REFUTED[OG318] s[(k + 1) % 2][t] = d[b][16 * (k + 1) + t];
// mutate: "s[0][t] = d[b][t]" -> "s[0][t] = d[b][t + 1]" => REFUTED[OG318] s[(k + 1) % 2][t] = d[b][16 * (k + 1) + t];
// mutate: "16 * (k + 1) + t" -> "16 * k + t" => REFUTED[OG318] s[(k + 1) % 2][t] = d[b][16 * k + t];
// mutate: "if (k + 1 < 16)" -> "if (k + 2 < 16)" => REFUTED[OG304] s[k % 2][15 - t % 16]

#include <optigpu.h>
void f(int B, float h[B][256]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 256, A)");
  __produces("h ~> Matrix2(B, 256, fun b t -> Sum(k in 0..16, A(b, 16 * k + 15 - t % 16)))");
  float* const d = __gmem_malloc2<float>(B, 256);
  memcpy_host_to_device2(d, h, B, 256);
  kernel_launch(B, 256, 32 * sizeof(float));

  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ float s[2][16];
    float* const acc = __treg_malloc0<float>();
    thread for (int t = 0; t < 256; t++) {
      acc[DMINDEX1(256, t)] = 0.0f;
      if (t < 16) s[0][t] = d[b][t];
    }
    blocksync();
    for (int k = 0; k < 16; k++) {
      thread for (int t = 0; t < 256; t++)
        acc[DMINDEX1(256, t)] += s[k % 2][15 - t % 16];
      if (k + 1 < 16)
        thread for (int t = 0; t < 256; t++)
          if (t < 16) s[(k + 1) % 2][t] = d[b][16 * (k + 1) + t];
      blocksync();
    }
    thread for (int t = 0; t < 256; t++)
      d[b][t] = acc[DMINDEX1(256, t)];
  }
  kernel_teardown_begin();

  kernel_kill();
  memcpy_device_to_host2(h, d, B, 256);
  gmem_free(d);
}
