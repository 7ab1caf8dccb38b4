// Figure 4.2: the contracts of the four transitions of a kernel, typed in, and a program that uses them.
// Each contract is compared with the built-in rule, up to names and the order of clauses, and adds nothing: nothing is admitted.
// `begin_kernel` is kernel_launch under another name: a contract is recognised by what it says.
// Where ours differs: shared memory is counted by the rules themselves, and need not be allocated to the last byte.
// HostCtx is implied: every function without __device__ runs on the host. It may be written, as here.

#include <optigpu.h>

void begin_kernel(int blocks, int threads, int bytes) {
  __consumes("HostCtx");
  __produces("KernelSetupCtx");
  __produces("KernelParams(blocks, threads, bytes)");
  __produces("SMemAllowance(bytes)");
  __admitted();
}

void kernel_launch(int bpg, int tpb, int smem_sz) {
  __consumes("HostCtx");
  __produces("KernelSetupCtx");
  __produces("KernelParams(bpg, tpb, smem_sz)");
  __produces("SMemAllowance(smem_sz)");
  __admitted();
}

void kernel_setup_end() {
  __requires("bpg: int, tpb: int, smem_sz: int, grid_sz: int");
  __requires("by: bpg * tpb = grid_sz");
  __consumes("KernelSetupCtx");
  __produces("ThreadsCtx(0 ..+ grid_sz)");
  __preserves("KernelParams(bpg, tpb, smem_sz)");
  __produces("SMemAllowance(0)");
  __admitted();
}

void kernel_teardown_begin() {
  __requires("bpg: int, tpb: int, smem_sz: int, grid_sz: int");
  __requires("by: bpg * tpb = grid_sz");
  __consumes("ThreadsCtx(0 ..+ grid_sz)");
  __produces("KernelTeardownCtx");
  __preserves("KernelParams(bpg, tpb, smem_sz)");
  __preserves("SMemAllowance(0)");
  __admitted();
}

void kernel_kill() {
  __requires("tpb: int, bpg: int, smem_sz: int");
  __consumes("KernelParams(bpg, tpb, smem_sz)");
  __consumes("KernelTeardownCtx");
  __consumes("SMemAllowance(smem_sz)");
  __produces("HostCtx");
  __admitted();
}

void fill(int n, float* a) {
  __requires("positive: n >= 0");
  __preserves("HostCtx");
  __writes("for i in 0..n * 32 -> &a[i] ~~>[GMem] 1");
  begin_kernel(n, 32, 0);
  kernel_setup_end();
  thread for (int b = 0; b < n; b++) {
    thread for (int t = 0; t < 32; t++) {
      a[b * 32 + t] = 1.0f;
    }
  }
  kernel_teardown_begin();
  kernel_kill();
}
