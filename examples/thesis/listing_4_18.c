#include <optigpu.h>

// Listing 4.18: registers that live across a barrier. Each thread keeps a value of its block's part of A in a register `xs[t]`, and after
// the barrier stores it at the mirrored place. The kernel is as printed; the contract, the launch and the host's code around it, which the
// thesis leaves out, are ours.
void kernel(int bpg, int tpb, int a[bpg * tpb]) {
  __requires("V: int -> int, bpg >= 0, 1 <= tpb && tpb <= 1024");
  __consumes("a ~> Matrix1(bpg * tpb, V)");
  __produces("for b in 0..bpg -> for t in 0..tpb -> &a[b * tpb + t] ~~> V(b * tpb + (tpb - t - 1))");
  int* const A = __gmem_malloc1<int>(bpg * tpb);
  memcpy_host_to_device1(A, a, bpg * tpb);
  kernel_launch(bpg, tpb, 0);
  kernel_setup_end();
  thread for (int b = 0; b < bpg; b++) {
    int* const xs = __treg_malloc0<int>();
    thread for (int t = 0; t < tpb; t++) {
      xs[t] = A[b * tpb + t];
    }
    blocksync();
    thread for (int t = 0; t < tpb; t++) {
      A[b * tpb + (tpb - t - 1)] = xs[t];
    }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(a, A, bpg * tpb);
  gmem_free(A);
}
