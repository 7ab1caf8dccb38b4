// A tree of maxima in shared memory.
// expect: VERIFIED
// also: replay
// mutate: "s[t + half]);" -> "s[half]);" => REFUTED[OG305] h ~> Matrix2(B, 256, fun b t -> Max(k in 0..256, A(b, k)))
// mutate: "half = 128;" -> "half = 64;" => UNPROVED[OG305] h ~> Matrix2(B, 256, fun b t -> Max(k in 0..256, A(b, k)))
// mutate: "s[t] = d[b][t]" -> "s[t] = fmaxf(0.0f, d[b][t])"
//   => UNPROVED[OG305] h ~> Matrix2(B, 256, fun b t -> Max(k in 0..256, A(b, k)))
// mutate: "      blocksync();\n" -> "" => REFUTED[OG341] s[t + half]
// mutate: "d[b][t] = s[0]" -> "d[b][t] = s[1]" => UNPROVED[OG318] thread for (int b = 0; b < B; b++)

#include <optigpu.h>
void f(int B, float h[B][256]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 256, A)");
  __produces("h ~> Matrix2(B, 256, fun b t -> Max(k in 0..256, A(b, k)))");
  float* const d = __gmem_malloc2<float>(B, 256);
  memcpy_host_to_device2(d, h, B, 256);
  kernel_launch(B, 256, 1024);

  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ float s[256];
    thread for (int t = 0; t < 256; t++)
      s[t] = d[b][t];
    for (int half = 128; half > 0; half >>= 1) {
      blocksync();
      thread for (int t = 0; t < 256; t++)
        if (t < half) s[t] = fmaxf(s[t], s[t + half]);
    }
    blocksync();
    thread for (int t = 0; t < 256; t++)
      d[b][t] = s[0];
  }
  kernel_teardown_begin();

  kernel_kill();
  memcpy_device_to_host2(h, d, B, 256);
  gmem_free(d);
}
