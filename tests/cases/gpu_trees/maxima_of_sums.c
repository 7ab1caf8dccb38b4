// A tree in shared memory over the maximum of sums, one a thread.
// expect: VERIFIED
// also: replay
// mutate: "s[t + half]" -> "s[t + half - 1]" => REFUTED[OG340] s[t + half - 1]
// mutate: "k < p" -> "k < p - 1" => REFUTED[OG305] r ~> Matrix1
// mutate: "if (t < half)" -> "if (t + 1 < half)" => REFUTED[OG318] thread for (int b = 0; b < B; b++)

#include <optigpu.h>
void f(int B, int p, float h[B][32][p], float r[B]) {
  __requires("A: int * int * int -> float, B >= 0, p >= 0");
  __reads("h ~> Matrix3(B, 32, p, A)");
  __writes("r ~> Matrix1(B, fun b -> Max(t in 0..32, Sum(k in 0..p, A(b, t, k))))");
  float* const d = __gmem_malloc3<float>(B, 32, p);
  float* const e = __gmem_malloc1<float>(B);
  memcpy_host_to_device3(d, h, B, 32, p);
  kernel_launch(B, 32, 128);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ float s[32];
    thread for (int t = 0; t < 32; t++) {
      float total = 0.0f;
      for (int k = 0; k < p; k++) total += d[b][t][k];
      s[t] = total;
    }
    for (int half = 16; half > 0; half >>= 1) {
      blocksync();
      thread for (int t = 0; t < 32; t++)
        if (t < half) s[t] = fmaxf(s[t], s[t + half]);
    }
    thread for (int t = 0; t < 32; t++)
      if (t == 0) e[b] = s[0];
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(r, e, B);
  gmem_free(e);
  gmem_free(d);
}
