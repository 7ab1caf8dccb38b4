// Groups with other indices, and in parts.
// expect: VERIFIED
// mutate: '__ghost(group_shift, "start := 0, stop := n, step := 1, items := fun i -> &a[i] ~~> A(i), shift := 5, new_start := 5, new_stop := n + 5");' -> '__ghost(group_shift, "start := 0, stop := n, step := 1, items := fun i -> &a[i] ~~> A(i), shift := 5, new_start := 4, new_stop := n + 5");' => UNPROVED[OG322] __ghost(group_shift, "start := 0, stop := n, step := 1, items := fun i -> &a[i] ~~> A(i), shift := 5, new_start := 4, new_stop := n + 5")
// mutate: '__ghost(group_shift, "start := 0, stop := n, step := 1, items := fun i -> &a[i] ~~> A(i), shift := 5, new_start := 5, new_stop := n + 5");' -> '__ghost(group_shift, "start := 0, stop := n, step := 1, items := fun i -> &a[i] ~~> A(i) + 1, shift := 5, new_start := 5, new_stop := n + 5");' => UNPROVED[OG322] __ghost(group_shift, "start := 0, stop := n, step := 1, items := fun i -> &a[i] ~~> A(i) + 1, shift := 5, new_start := 5, new_stop := n + 5")
// mutate: '__ghost(group_unshift, "start := 0, stop := n, step := 1, items := fun i -> &a[i] ~~> A(i), shift := 5, new_start := 5, new_stop := n + 5");' -> '__ghost(group_unshift, "start := 0, stop := n, step := 1, items := fun i -> &a[i] ~~> A(i), shift := 5, new_start := 4, new_stop := n + 5");' => UNPROVED[OG322] __ghost(group_unshift, "start := 0, stop := n, step := 1, items := fun i -> &a[i] ~~> A(i), shift := 5, new_start := 4, new_stop := n + 5")
// mutate: '__ghost(group_unshift, "start := 0, stop := n, step := 1, items := fun i -> &a[i] ~~> A(i), shift := 5, new_start := 5, new_stop := n + 5");' -> '__ghost(group_unshift, "start := 0, stop := n, step := 1, items := fun i -> &a[i] ~~> A(i) + 1, shift := 5, new_start := 5, new_stop := n + 5");' => UNPROVED[OG322] __ghost(group_unshift, "start := 0, stop := n, step := 1, items := fun i -> &a[i] ~~> A(i) + 1, shift := 5, new_start := 5, new_stop := n + 5")
// mutate: '__ghost(group_scale, "stop := n, step := 1, items := fun i -> &a[i] ~~> A(i), factor := 3, new_step := 3, new_stop := 3 * n");' -> '__ghost(group_scale, "stop := n, step := 1, items := fun i -> &a[i] ~~> A(i), factor := 3, new_step := 2, new_stop := 3 * n");' => UNPROVED[OG322] __ghost(group_scale, "stop := n, step := 1, items := fun i -> &a[i] ~~> A(i), factor := 3, new_step := 2, new_stop := 3 * n")
// mutate: '__ghost(group_scale, "stop := n, step := 1, items := fun i -> &a[i] ~~> A(i), factor := 3, new_step := 3, new_stop := 3 * n");' -> '__ghost(group_scale, "stop := n, step := 1, items := fun i -> &a[i] ~~> A(i) + 1, factor := 3, new_step := 3, new_stop := 3 * n");' => UNPROVED[OG322] __ghost(group_scale, "stop := n, step := 1, items := fun i -> &a[i] ~~> A(i) + 1, factor := 3, new_step := 3, new_stop := 3 * n")
// mutate: '__ghost(group_unscale, "stop := n, step := 1, items := fun i -> &a[i] ~~> A(i), factor := 3, new_step := 3, new_stop := 3 * n");' -> '__ghost(group_unscale, "stop := n, step := 1, items := fun i -> &a[i] ~~> A(i), factor := 3, new_step := 2, new_stop := 3 * n");' => UNPROVED[OG322] __ghost(group_unscale, "stop := n, step := 1, items := fun i -> &a[i] ~~> A(i), factor := 3, new_step := 2, new_stop := 3 * n")
// mutate: '__ghost(group_unscale, "stop := n, step := 1, items := fun i -> &a[i] ~~> A(i), factor := 3, new_step := 3, new_stop := 3 * n");' -> '__ghost(group_unscale, "stop := n, step := 1, items := fun i -> &a[i] ~~> A(i) + 1, factor := 3, new_step := 3, new_stop := 3 * n");' => UNPROVED[OG322] __ghost(group_unscale, "stop := n, step := 1, items := fun i -> &a[i] ~~> A(i) + 1, factor := 3, new_step := 3, new_stop := 3 * n")
// mutate: '__ghost(group_split, "start := 0, split := 1, stop := n, items := fun i -> &a[i] ~~> A(i)");' -> '__ghost(group_split, "start := 0, split := n + 1, stop := n, items := fun i -> &a[i] ~~> A(i)");' => UNPROVED[OG322] __ghost(group_split, "start := 0, split := n + 1, stop := n, items := fun i -> &a[i] ~~> A(i)")
// mutate: '__ghost(group_split, "start := 0, split := 1, stop := n, items := fun i -> &a[i] ~~> A(i)");' -> '__ghost(group_split, "start := 0, split := 1, stop := n, items := fun i -> &a[i] ~~> A(i) + 1");' => UNPROVED[OG322] __ghost(group_split, "start := 0, split := 1, stop := n, items := fun i -> &a[i] ~~> A(i) + 1")
// mutate: '__ghost(group_join, "start := 0, split := 1, stop := n, items := fun i -> &a[i] ~~> A(i)");' -> '__ghost(group_join, "start := 0, split := n + 1, stop := n, items := fun i -> &a[i] ~~> A(i)");' => UNPROVED[OG322] __ghost(group_join, "start := 0, split := n + 1, stop := n, items := fun i -> &a[i] ~~> A(i)")
// mutate: '__ghost(group_join, "start := 0, split := 1, stop := n, items := fun i -> &a[i] ~~> A(i)");' -> '__ghost(group_join, "start := 0, split := 1, stop := n, items := fun i -> &a[i] ~~> A(i) + 1");' => UNPROVED[OG322] __ghost(group_join, "start := 0, split := 1, stop := n, items := fun i -> &a[i] ~~> A(i) + 1")
// mutate: '__ghost(ro_group_shift, "start := 0, stop := n, step := 1, items := fun i -> &a[i] ~~> A(i), shift := 5, new_start := 5, new_stop := n + 5");' -> '__ghost(ro_group_shift, "start := 0, stop := n, step := 1, items := fun i -> &a[i] ~~> A(i), shift := 5, new_start := 4, new_stop := n + 5");' => UNPROVED[OG322] __ghost(ro_group_shift, "start := 0, stop := n, step := 1, items := fun i -> &a[i] ~~> A(i), shift := 5, new_start := 4, new_stop := n + 5")
// mutate: '__ghost(ro_group_shift, "start := 0, stop := n, step := 1, items := fun i -> &a[i] ~~> A(i), shift := 5, new_start := 5, new_stop := n + 5");' -> '__ghost(ro_group_shift, "start := 0, stop := n, step := 1, items := fun i -> &a[i] ~~> A(i) + 1, shift := 5, new_start := 5, new_stop := n + 5");' => UNPROVED[OG322] __ghost(ro_group_shift, "start := 0, stop := n, step := 1, items := fun i -> &a[i] ~~> A(i) + 1, shift := 5, new_start := 5, new_stop := n + 5")
// mutate: '__ghost(ro_group_unshift, "start := 0, stop := n, step := 1, items := fun i -> &a[i] ~~> A(i), shift := 5, new_start := 5, new_stop := n + 5");' -> '__ghost(ro_group_unshift, "start := 0, stop := n, step := 1, items := fun i -> &a[i] ~~> A(i), shift := 5, new_start := 4, new_stop := n + 5");' => UNPROVED[OG322] __ghost(ro_group_unshift, "start := 0, stop := n, step := 1, items := fun i -> &a[i] ~~> A(i), shift := 5, new_start := 4, new_stop := n + 5")
// mutate: '__ghost(ro_group_unshift, "start := 0, stop := n, step := 1, items := fun i -> &a[i] ~~> A(i), shift := 5, new_start := 5, new_stop := n + 5");' -> '__ghost(ro_group_unshift, "start := 0, stop := n, step := 1, items := fun i -> &a[i] ~~> A(i) + 1, shift := 5, new_start := 5, new_stop := n + 5");' => UNPROVED[OG322] __ghost(ro_group_unshift, "start := 0, stop := n, step := 1, items := fun i -> &a[i] ~~> A(i) + 1, shift := 5, new_start := 5, new_stop := n + 5")
// mutate: '__ghost(ro_group_scale, "stop := n, step := 1, items := fun i -> &a[i] ~~> A(i), factor := 3, new_step := 3, new_stop := 3 * n");' -> '__ghost(ro_group_scale, "stop := n, step := 1, items := fun i -> &a[i] ~~> A(i), factor := 3, new_step := 2, new_stop := 3 * n");' => UNPROVED[OG322] __ghost(ro_group_scale, "stop := n, step := 1, items := fun i -> &a[i] ~~> A(i), factor := 3, new_step := 2, new_stop := 3 * n")
// mutate: '__ghost(ro_group_scale, "stop := n, step := 1, items := fun i -> &a[i] ~~> A(i), factor := 3, new_step := 3, new_stop := 3 * n");' -> '__ghost(ro_group_scale, "stop := n, step := 1, items := fun i -> &a[i] ~~> A(i) + 1, factor := 3, new_step := 3, new_stop := 3 * n");' => UNPROVED[OG322] __ghost(ro_group_scale, "stop := n, step := 1, items := fun i -> &a[i] ~~> A(i) + 1, factor := 3, new_step := 3, new_stop := 3 * n")
// mutate: '__ghost(ro_group_unscale, "stop := n, step := 1, items := fun i -> &a[i] ~~> A(i), factor := 3, new_step := 3, new_stop := 3 * n");' -> '__ghost(ro_group_unscale, "stop := n, step := 1, items := fun i -> &a[i] ~~> A(i), factor := 3, new_step := 2, new_stop := 3 * n");' => UNPROVED[OG322] __ghost(ro_group_unscale, "stop := n, step := 1, items := fun i -> &a[i] ~~> A(i), factor := 3, new_step := 2, new_stop := 3 * n")
// mutate: '__ghost(ro_group_unscale, "stop := n, step := 1, items := fun i -> &a[i] ~~> A(i), factor := 3, new_step := 3, new_stop := 3 * n");' -> '__ghost(ro_group_unscale, "stop := n, step := 1, items := fun i -> &a[i] ~~> A(i) + 1, factor := 3, new_step := 3, new_stop := 3 * n");' => UNPROVED[OG322] __ghost(ro_group_unscale, "stop := n, step := 1, items := fun i -> &a[i] ~~> A(i) + 1, factor := 3, new_step := 3, new_stop := 3 * n")
// mutate: '__ghost(ro_group_split, "start := 0, split := 1, stop := n, items := fun i -> &a[i] ~~> A(i)");' -> '__ghost(ro_group_split, "start := 0, split := n + 1, stop := n, items := fun i -> &a[i] ~~> A(i)");' => UNPROVED[OG322] __ghost(ro_group_split, "start := 0, split := n + 1, stop := n, items := fun i -> &a[i] ~~> A(i)")
// mutate: '__ghost(ro_group_split, "start := 0, split := 1, stop := n, items := fun i -> &a[i] ~~> A(i)");' -> '__ghost(ro_group_split, "start := 0, split := 1, stop := n, items := fun i -> &a[i] ~~> A(i) + 1");' => UNPROVED[OG322] __ghost(ro_group_split, "start := 0, split := 1, stop := n, items := fun i -> &a[i] ~~> A(i) + 1")
// mutate: '__ghost(ro_group_join, "start := 0, split := 1, stop := n, items := fun i -> &a[i] ~~> A(i)");' -> '__ghost(ro_group_join, "start := 0, split := n + 1, stop := n, items := fun i -> &a[i] ~~> A(i)");' => UNPROVED[OG322] __ghost(ro_group_join, "start := 0, split := n + 1, stop := n, items := fun i -> &a[i] ~~> A(i)")
// mutate: '__ghost(ro_group_join, "start := 0, split := 1, stop := n, items := fun i -> &a[i] ~~> A(i)");' -> '__ghost(ro_group_join, "start := 0, split := 1, stop := n, items := fun i -> &a[i] ~~> A(i) + 1");' => UNPROVED[OG322] __ghost(ro_group_join, "start := 0, split := 1, stop := n, items := fun i -> &a[i] ~~> A(i) + 1")

#include <optigpu.h>

void use_group_shift(int n, float a[n]) {
  __requires("A: int -> float, n >= 1");
  __preserves("a ~> Matrix1(n, A)");
  __ghost(group_shift, "start := 0, stop := n, step := 1, items := fun i -> &a[i] ~~> A(i), shift := 5, new_start := 5, new_stop := n + 5");
}

void use_group_unshift(int n, float a[n]) {
  __requires("A: int -> float, n >= 1");
  __preserves("a ~> Matrix1(n, A)");
  __ghost(group_unshift, "start := 0, stop := n, step := 1, items := fun i -> &a[i] ~~> A(i), shift := 5, new_start := 5, new_stop := n + 5");
}

void use_group_scale(int n, float a[n]) {
  __requires("A: int -> float, n >= 1");
  __preserves("a ~> Matrix1(n, A)");
  __ghost(group_scale, "stop := n, step := 1, items := fun i -> &a[i] ~~> A(i), factor := 3, new_step := 3, new_stop := 3 * n");
}

void use_group_unscale(int n, float a[n]) {
  __requires("A: int -> float, n >= 1");
  __preserves("a ~> Matrix1(n, A)");
  __ghost(group_unscale, "stop := n, step := 1, items := fun i -> &a[i] ~~> A(i), factor := 3, new_step := 3, new_stop := 3 * n");
}

void use_group_split(int n, float a[n]) {
  __requires("A: int -> float, n >= 1");
  __preserves("a ~> Matrix1(n, A)");
  __ghost(group_split, "start := 0, split := 1, stop := n, items := fun i -> &a[i] ~~> A(i)");
}

void use_group_join(int n, float a[n]) {
  __requires("A: int -> float, n >= 1");
  __preserves("a ~> Matrix1(n, A)");
  __ghost(group_join, "start := 0, split := 1, stop := n, items := fun i -> &a[i] ~~> A(i)");
}

void use_ro_group_shift(int n, float a[n]) {
  __requires("A: int -> float, n >= 1");
  __reads("a ~> Matrix1(n, A)");
  __ghost(ro_group_shift, "start := 0, stop := n, step := 1, items := fun i -> &a[i] ~~> A(i), shift := 5, new_start := 5, new_stop := n + 5");
}

void use_ro_group_unshift(int n, float a[n]) {
  __requires("A: int -> float, n >= 1");
  __reads("a ~> Matrix1(n, A)");
  __ghost(ro_group_unshift, "start := 0, stop := n, step := 1, items := fun i -> &a[i] ~~> A(i), shift := 5, new_start := 5, new_stop := n + 5");
}

void use_ro_group_scale(int n, float a[n]) {
  __requires("A: int -> float, n >= 1");
  __reads("a ~> Matrix1(n, A)");
  __ghost(ro_group_scale, "stop := n, step := 1, items := fun i -> &a[i] ~~> A(i), factor := 3, new_step := 3, new_stop := 3 * n");
}

void use_ro_group_unscale(int n, float a[n]) {
  __requires("A: int -> float, n >= 1");
  __reads("a ~> Matrix1(n, A)");
  __ghost(ro_group_unscale, "stop := n, step := 1, items := fun i -> &a[i] ~~> A(i), factor := 3, new_step := 3, new_stop := 3 * n");
}

void use_ro_group_split(int n, float a[n]) {
  __requires("A: int -> float, n >= 1");
  __reads("a ~> Matrix1(n, A)");
  __ghost(ro_group_split, "start := 0, split := 1, stop := n, items := fun i -> &a[i] ~~> A(i)");
}

void use_ro_group_join(int n, float a[n]) {
  __requires("A: int -> float, n >= 1");
  __reads("a ~> Matrix1(n, A)");
  __ghost(ro_group_join, "start := 0, split := 1, stop := n, items := fun i -> &a[i] ~~> A(i)");
}
