// Exchanged through a shared array with a border that other threads than its readers fill; sizes are any.
// PTX: st.shared st.shared st.shared | ld.shared ld.shared ld.shared
#include <optigpu.h>

void shared_halo(int n, float d[n], float e[n]) {
  __requires("A: int -> float, n >= 0");
  __reads("d ~> Matrix1Of(n, GMem, A)");
  __consumes("e ~> UninitMatrix1Of(n, GMem)");
  __produces("e ~> Matrix1Of(n, GMem, fun i -> 0 < i && i < n - 1 ? A(i - 1) + A(i + 1) : A(i))");
  kernel_launch((n + 63) / 64, 64, 512);
  kernel_setup_end();
  thread for (int b = 0; b < (n + 63) / 64; b++) {
    __shared__ float s[66];
    thread for (int t = 0; t < 64; t++) {
      const int i = 64 * b + t;
      if (i < n) s[t + 1] = d[i];
      if (t == 0 && 0 < i) s[0] = d[i - 1];
      if (t == 63 && i + 1 < n) s[65] = d[i + 1];
    }
    blocksync();
    thread for (int t = 0; t < 64; t++) {
      const int i = 64 * b + t;
      if (0 < i && i < n - 1) { e[i] = s[t] + s[t + 2]; } else if (i < n) { e[i] = s[t + 1]; }
    }
  }
  kernel_teardown_begin();
  kernel_kill();
}
