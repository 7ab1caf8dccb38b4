// `Uninit(H)` is H with cells that may be uninitialised, also inside of groups. `UninitCellOf(M)` has the memory space in its name.
// `Group` and `DesyncGroup` are groups of the permissions of a function.
// expect: VERIFIED
// also: annotated, replay
// mutate: 'Uninit(for i in 0..n -> &a[i] ~~> A(i))' -> 'for i in 0..n -> &a[i] ~> Cell' => VERIFIED
// mutate: 'a[i] = b[i]' -> 'a[i] = a[i] + b[i]' => REFUTED[OG304] a[i] + b[i];
// mutate: 'Uninit(If(n > 0, a ~> Matrix1(n, A)) * (b ~> Matrix1(n, A)))' -> 'Uninit(n > 0)' => REJECTED[OG109] n > 0)");
// mutate: 'UninitCellOf(GMem)' -> 'UninitCellOf(SMem)' => REJECTED[OG114] GMem
// mutate: 'Group(0..n, fun i -> &b[i] ~~> A(i))' -> 'Group(0..n + 1, fun i -> &b[i] ~~> A(i))' => UNPROVED[OG332] Group(0..n + 1, fun i -> &b[i] ~~> A(i))
// mutate: 'Group(0..n, fun i -> &b[i] ~~> A(i))' -> 'Group(0..n, 3)' => REJECTED[OG102] 3
// mutate: 'DesyncGroup(64, fun i -> &x[i] ~~>[GMem] i)' -> 'DesyncGroup(64, fun i -> &x[63 - i] ~~>[GMem] 63 - i)' => UNPROVED[OG341] DesyncGroup(64, fun i -> &x[63 - i] ~~>[GMem] 63 - i)

#include <optigpu.h>

void copy(int n, float a[n], float b[n]) {
  __requires("A: int -> float, n >= 0");
  __consumes("Uninit(for i in 0..n -> &a[i] ~~> A(i))");
  __preserves("Group(0..n, fun i -> &b[i] ~~> A(i))");
  __produces("a ~> Matrix1(n, A)");
  for (int i = 0; i < n; i++) {
    a[i] = b[i];
  }
}

void forget(int n, float a[n], float b[n]) {
  __requires("A: int -> float, n >= 0");
  __consumes("If(n > 0, a ~> Matrix1(n, A)) * (b ~> Matrix1(n, A))");
  __produces("Uninit(If(n > 0, a ~> Matrix1(n, A)) * (b ~> Matrix1(n, A)))");
}

__device__ void number(int x[64]) {
  __preserves("ThreadsCtx(64)");
  __consumes("desync_for i in ..64 -> &x[i] ~> UninitCellOf(GMem)");
  __produces("DesyncGroup(64, fun i -> &x[i] ~~>[GMem] i)");
  thread for (int i = 0; i < 64; i++) {
    x[i] = i;
  }
}
