// A tree of sums in shared memory.
// expect: VERIFIED
// also: replay
// mutate: "      blocksync();\n" -> "" => REFUTED[OG341] s[t + k]
// mutate: "    blocksync(); // after the tree\n" -> "" => REFUTED[OG341] s[0]
// mutate: "if (t < k) s[t]" -> "if (t <= k) s[t]" => REFUTED[OG302] s[t + k]
// mutate: "k = 128" -> "k = 64" => REFUTED[OG318] thread for (int b = 0; b < B; b++)
// mutate: "s[t] += s[t + k]" -> "s[t] += s[t + k + 1]" => REFUTED[OG302] s[t + k + 1]

#include <optigpu.h>
void f(int B, float h[B][256]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 256, A)");
  __produces("h ~> Matrix2(B, 256, fun b t -> Sum(k in 0..256, A(b, k)))");
  float* const d = __gmem_malloc2<float>(B, 256);
  memcpy_host_to_device2(d, h, B, 256);
  kernel_launch(B, 256, 1024);

  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ float s[256];
    thread for (int t = 0; t < 256; t++)
      s[t] = d[b][t];
    for (int k = 128; k > 0; k >>= 1) {
      blocksync();
      thread for (int t = 0; t < 256; t++)
        if (t < k) s[t] += s[t + k];
    }
    blocksync(); // after the tree
    const float total = s[0];
    thread for (int t = 0; t < 256; t++)
      d[b][t] = total;
  }
  kernel_teardown_begin();

  kernel_kill();
  memcpy_device_to_host2(h, d, B, 256);
  gmem_free(d);
}
