// `__reverts(g)`: a ghost that is g from its end to its start. `__GHOST_END` checks the same.
// expect: VERIFIED
// also: annotated, replay
// mutate: '__reverts(halves)' -> '__reverts(no_such_ghost)' => REJECTED[OG115] __reverts(no_such_ghost)
// mutate: '__ghost(whole, "a := a, n := n")' -> '__ghost(whole, "a := a, n := n + 1")' => UNPROVED[OG322] __ghost(whole, "a := a, n := n + 1")
// mutate: '__GHOST_BEGIN(part, halves, "a := a, n := n")' -> '__GHOST_BEGIN(part, halves, "a := a, n := n + 1")' => UNPROVED[OG322] __GHOST_BEGIN(part, halves, "a := a, n := n + 1")
// mutate: 'a[0] = 1.0f;' -> '__GHOST_BEGIN(one, group_focus, "i := 0, range := 0..n, items := fun i -> &a[i] ~~> A(i)"); a[0] = 1.0f; __GHOST_END(one);' => UNPROVED[OG322] __GHOST_END(one)
// mutate: '__reverts(halves)' -> '__reverts(3)' => REJECTED[OG008] 3

#include <optigpu.h>

__GHOST(halves) {
  __requires("T: Type, a: ptr(T), n: int, h: int");
  __consumes("a ~> Cells1(n)");
  __produces("for i in 0..n / 2 -> &a[i] ~> Cell");
  __produces("for i in n / 2..n -> &a[i] ~> Cell");
}

__GHOST(whole) {
  __reverts(halves);
}

void f(int n, float a[n]) {
  __requires("A: int -> float, n >= 1");
  __consumes("a ~> Matrix1(n, A)");
  __produces("a ~> Cells1(n)");
  __GHOST_BEGIN(part, halves, "a := a, n := n");
  a[0] = 1.0f;
  __GHOST_END(part);
  __ghost(whole, "a := a, n := n");
}
