// Execution contexts are changed by the transitions of a kernel alone.
// expect: VERIFIED
// mutate: '"KernelSetupCtx"' -> '"KernelTeardownCtx"' => REJECTED[OG119] start(int g, int t, int s) {
// mutate: '__produces("KernelSetupCtx");\n' -> '' => REJECTED[OG119] start(int g, int t, int s) {
// mutate: '  __admitted();\n' -> '  kernel_launch(g, t, s);\n' => REJECTED[OG119] start(int g, int t, int s) {
// mutate: 'void start' -> 'void kernel_launch', '  start(1' -> '  kernel_launch(1' => VERIFIED
// mutate: 'start(1, 32, 0)' -> 'start(1, 2048, 0)' => REFUTED[OG349] start(1, 2048, 0);
// mutate: 'void fill(float* a) {' -> 'void start(int n) { __pure(); }\nvoid fill(float* a) {'
//   => REJECTED[OG101] start(int n) { __pure(); }
// mutate: 'void fill(float* a) {' -> 'void f() { __consumes("HostCtx"); __admitted(); }\nvoid fill(float* a) {'
//   => REJECTED[OG119] f() { __consumes("HostCtx"); __admitted(); }
// mutate: 'void fill(float* a) {' -> 'void f() { __preserves("KernelSetupCtx"); __admitted(); }\nvoid fill(float* a) {'
//   => REJECTED[OG119] f() { __preserves("KernelSetupCtx"); __admitted(); }
// mutate: 'void fill(float* a) {'
//   -> '__device__ void f() { __consumes("ThreadsCtx(0 ..+ 32)"); __admitted(); }\nvoid fill(float* a) {'
//   => REJECTED[OG119] f() { __consumes("ThreadsCtx(0 ..+ 32)"); __admitted(); }
// mutate: 'void fill(float* a) {' -> 'template <typename T> void f(T* a) { __pure(); }\nvoid fill(float* a) {'
//   => REJECTED[OG004] T* a
// mutate: 'void fill(float* a) {' -> 'void f() { __requires("KernelSetupCtx > 0"); __admitted(); }\nvoid fill(float* a) {'
//   => REJECTED[OG119] f() { __requires("KernelSetupCtx > 0"); __admitted(); }

#include <optigpu.h>

void start(int g, int t, int s) {
  __produces("SMemAllowance(s)");
  __produces("KernelParams(g, t, s)");
  __produces("KernelSetupCtx");
  __consumes("HostCtx");
  __admitted();
}

void fill(float* a) {
  __writes("for i in 0..32 -> &a[i] ~~>[GMem] 1");
  start(1, 32, 0);
  kernel_setup_end();
  thread for (int t = 0; t < 32; t++) {
    a[t] = 1.0f;
  }
  kernel_teardown_begin();
  kernel_kill();
}
