// Listing 4.16: the contracts of shared memory's malloc and free, typed in, and a kernel that uses them.
// Both are compared with the built-in rules and add nothing. The thesis calls both indices `i`; the one of the blocks is `b` here,
// since the inner `i` would hide it.

#include <optigpu.h>

template <typename T> T* __smem_malloc1(int N1) {
  __requires("bpg: int, sz: int");
  __preserves("KernelSetupCtx");
  __reads("KernelParams(bpg, _, _)");
  __produces("desync_for b in 0..bpg -> for i in 0..N1 -> &_Res[DMINDEX1(bpg, b)][i] ~>[SMem] UninitCell");
  __produces("Free(_Res, desync_for b in 0..bpg -> for i in 0..N1 -> &_Res[DMINDEX1(bpg, b)][i] ~>[SMem] UninitCell)");
  __consumes("SMemAllowance(sz + sizeof(T) * N1)");
  __produces("SMemAllowance(sz)");
  __admitted();
}

template <typename T> void __smem_free1(T* p, int N1) {
  __requires("bpg: int, sz: int");
  __preserves("KernelTeardownCtx");
  __reads("KernelParams(bpg, _, _)");
  __consumes("desync_for b in 0..bpg -> for i in 0..N1 -> &p[DMINDEX1(bpg, b)][i] ~>[SMem] UninitCell");
  __consumes("Free(p, desync_for b in 0..bpg -> for i in 0..N1 -> &p[DMINDEX1(bpg, b)][i] ~>[SMem] UninitCell)");
  __consumes("SMemAllowance(sz)");
  __produces("SMemAllowance(sz + sizeof(T) * N1)");
  __admitted();
}

void reverse(int n, float* a) {
  __requires("A: int -> float, blocks: n >= 0");
  __consumes("for i in 0..n * 64 -> &a[i] ~~>[GMem] A(i)");
  __produces("for b in 0..n -> for t in 0..64 -> &a[b * 64 + t] ~~>[GMem] A(b * 64 + (63 - t))");
  kernel_launch(n, 64, 256);
  float* const s = __smem_malloc1<float>(64);
  kernel_setup_end();
  thread for (int b = 0; b < n; b++) {
    thread for (int t = 0; t < 64; t++) {
      s[DMINDEX1(n, b)][t] = a[b * 64 + t];
    }
    blocksync();
    thread for (int t = 0; t < 64; t++) {
      a[b * 64 + t] = s[DMINDEX1(n, b)][63 - t];
    }
  }
  kernel_teardown_begin();
  __smem_free1(s, 64);
  kernel_kill();
}
