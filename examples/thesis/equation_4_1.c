// Equations (4.1): what Sync(fM, H) is. desync_for becomes for, at any depth; a cell stays as it is if its memory type satisfies fM,
// and Sync is stuck at any other cell. Here fM is a predicate of the program, as for a barrier of OpenCL that is for shared memory only.
// `rows_ready` states its permissions and lets Sync compute what they become; `shared_sync` is for every permission H.
// Sync also goes through `H * K` and `If(c, H)`.

#include <optigpu.h>

__DECL(shared_mem, "MemType -> Prop");
__AXIOM(shared_mem_SMem, "shared_mem(SMem)");

__device__ void rows_ready(float s[4][32]) {
  __requires("A: int * int -> float, t: int");
  __preserves("ThreadsCtx(t ..+ 128)");
  __reads("KernelParams(_, 128, _)");
  __consumes("desync_for w in ..4 -> desync_for l in ..32 -> &s[w][l] ~~>[SMem] A(w, l)");
  __produces("Sync(shared_mem, desync_for w in ..4 -> desync_for l in ..32 -> &s[w][l] ~~>[SMem] A(w, l))");
  __admitted();
}

__device__ void shared_sync() {
  __requires("H: HProp, tpb: int, t: int");
  __preserves("ThreadsCtx(t ..+ tpb)");
  __reads("KernelParams(_, tpb, _)");
  __consumes("H");
  __produces("Sync(shared_mem, H)");
  __admitted();
}

void transpose_blocks(int n, float* a) {
  __requires("A: int -> float, blocks: n >= 0");
  __consumes("for i in 0..n * 128 -> &a[i] ~~>[GMem] A(i)");
  __produces("for b in 0..n -> for t in 0..128 -> &a[b * 128 + t] ~~>[GMem] A(b * 128 + (127 - t))");
  kernel_launch(n, 128, 512);
  kernel_setup_end();
  thread for (int b = 0; b < n; b++) {
    __shared__ float s[4][32];
    thread for (int w = 0; w < 4; w++) {
      thread for (int l = 0; l < 32; l++) {
        s[w][l] = a[b * 128 + (w * 32 + l)];
      }
    }
    rows_ready(s);
    thread for (int w = 0; w < 4; w++) {
      thread for (int l = 0; l < 32; l++) {
        a[b * 128 + (w * 32 + l)] = s[3 - w][31 - l];
      }
    }
    shared_sync();
    __with("H := for w in ..4 -> for l in ..32 -> &s[w][l] ~> Cell");
  }
  kernel_teardown_begin();
  kernel_kill();
}
