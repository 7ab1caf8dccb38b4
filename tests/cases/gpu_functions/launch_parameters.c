// What a contract asks of a launch is proved at the call.
// expect: VERIFIED
// mutate: "KernelParams(_, 256, _)" -> "KernelParams(_, 512, _)" => UNPROVED[OG315] first(s)
// mutate: "KernelParams(_, 256, _)" -> "KernelParams(1, 256, _)" => UNPROVED[OG315] first(s)
// mutate: "KernelParams(_, 256, _)" -> "KernelParams(_, 256, 4096)" => UNPROVED[OG315] first(s)
// mutate: "KernelParams(_, 256, _)" -> "KernelParams(B, 256, 2048)", '"A: int -> float"' -> '"A: int -> float, B: int"' => VERIFIED
// mutate: "KernelParams(_, 256, _)" -> "KernelParams(_, 256, _), SMemAllowance(1024)" => UNSUPPORTED[OG300] SMemAllowance(1024)
// mutate: "KernelParams(_, 256, _)" -> "HostCtx, KernelParams(_, 256, _)" => UNSUPPORTED[OG300] HostCtx

#include <optigpu.h>
__device__ float first(float s[256]) {
  __requires("A: int -> float");
  __preserves("ThreadsCtx(256)");
  __reads("KernelParams(_, 256, _), for t in ..256 -> &s[t] ~~>[SMem] A(t)");
  __ensures("_Res == A(0)");
  return s[0];
}
#include <optigpu.h>
void f(int B, float h[B][256]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 256, A)");
  __produces("h ~> Cells2(B, 256)");
  float* const d = __gmem_malloc2<float>(B, 256);
  memcpy_host_to_device2(d, h, B, 256);
  kernel_launch(B, 256, 2048);

  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    __shared__ float s[256];
    thread for (int t = 0; t < 256; t++)
      s[t] = d[b][t];
    blocksync();
    const float x = first(s);
  }
  kernel_teardown_begin();

  kernel_kill();
  memcpy_device_to_host2(h, d, B, 256);
  gmem_free(d);
}
