// A focus is a part of a group, and its end.
// expect: VERIFIED
// mutate: '__ghost(group_focus, "i := n - 1, range := 0..n, items := fun i -> &a[i] ~~> A(i)");' -> '__ghost(group_focus, "i := n, range := 0..n, items := fun i -> &a[i] ~~> A(i)");' => UNPROVED[OG322] __ghost(group_focus, "i := n, range := 0..n, items := fun i -> &a[i] ~~> A(i)")
// mutate: '__ghost(group_unfocus, "i := n - 1, range := 0..n, items := fun i -> &a[i] ~~> A(i)");' -> '__ghost(group_unfocus, "i := n, range := 0..n, items := fun i -> &a[i] ~~> A(i)");' => UNPROVED[OG322] __ghost(group_unfocus, "i := n, range := 0..n, items := fun i -> &a[i] ~~> A(i)")
// mutate: '__ghost(ro_group_focus, "i := n - 1, range := 0..n, items := fun i -> &a[i] ~~> A(i)");' -> '__ghost(ro_group_focus, "i := n, range := 0..n, items := fun i -> &a[i] ~~> A(i)");' => UNPROVED[OG322] __ghost(ro_group_focus, "i := n, range := 0..n, items := fun i -> &a[i] ~~> A(i)")
// mutate: '__ghost(ro_group_unfocus, "i := n - 1, range := 0..n, items := fun i -> &a[i] ~~> A(i)");' -> '__ghost(ro_group_unfocus, "i := n, range := 0..n, items := fun i -> &a[i] ~~> A(i)");' => UNPROVED[OG322] __ghost(ro_group_unfocus, "i := n, range := 0..n, items := fun i -> &a[i] ~~> A(i)")
// mutate: '__ghost(ro_group2_focus, "i := m - 1, r := 0..m, r2 := 0..n, items := fun i j -> &a[i][j] ~~> A(i, j)");' -> '__ghost(ro_group2_focus, "i := m, r := 0..m, r2 := 0..n, items := fun i j -> &a[i][j] ~~> A(i, j)");' => UNPROVED[OG322] __ghost(ro_group2_focus, "i := m, r := 0..m, r2 := 0..n, items := fun i j -> &a[i][j] ~~> A(i, j)")
// mutate: '__ghost(ro_group2_unfocus, "i := m - 1, r := 0..m, r2 := 0..n, items := fun i j -> &a[i][j] ~~> A(i, j)");' -> '__ghost(ro_group2_unfocus, "i := m, r := 0..m, r2 := 0..n, items := fun i j -> &a[i][j] ~~> A(i, j)");' => UNPROVED[OG322] __ghost(ro_group2_unfocus, "i := m, r := 0..m, r2 := 0..n, items := fun i j -> &a[i][j] ~~> A(i, j)")
// mutate: '__ghost(group_focus_subrange, "sub_range := 1..n, big_range := 0..n, items := fun i -> &a[i] ~~> A(i)");' -> '__ghost(group_focus_subrange, "sub_range := 1..n + 1, big_range := 0..n, items := fun i -> &a[i] ~~> A(i)");' => UNPROVED[OG322] __ghost(group_focus_subrange, "sub_range := 1..n + 1, big_range := 0..n, items := fun i -> &a[i] ~~> A(i)")
// mutate: '__ghost(group_unfocus_subrange, "sub_range := 1..n, big_range := 0..n, items := fun i -> &a[i] ~~> A(i)");' -> '__ghost(group_unfocus_subrange, "sub_range := 1..n + 1, big_range := 0..n, items := fun i -> &a[i] ~~> A(i)");' => UNPROVED[OG322] __ghost(group_unfocus_subrange, "sub_range := 1..n + 1, big_range := 0..n, items := fun i -> &a[i] ~~> A(i)")
// mutate: '__ghost(ro_group_focus_subrange, "sub_range := 1..n, big_range := 0..n, items := fun i -> &a[i] ~~> A(i)");' -> '__ghost(ro_group_focus_subrange, "sub_range := 1..n + 1, big_range := 0..n, items := fun i -> &a[i] ~~> A(i)");' => UNPROVED[OG322] __ghost(ro_group_focus_subrange, "sub_range := 1..n + 1, big_range := 0..n, items := fun i -> &a[i] ~~> A(i)")
// mutate: '__ghost(ro_group_unfocus_subrange, "sub_range := 1..n, big_range := 0..n, items := fun i -> &a[i] ~~> A(i)");' -> '__ghost(ro_group_unfocus_subrange, "sub_range := 1..n + 1, big_range := 0..n, items := fun i -> &a[i] ~~> A(i)");' => UNPROVED[OG322] __ghost(ro_group_unfocus_subrange, "sub_range := 1..n + 1, big_range := 0..n, items := fun i -> &a[i] ~~> A(i)")

#include <optigpu.h>

void use_group_focus(int n, float a[n]) {
  __requires("A: int -> float, n >= 1");
  __preserves("a ~> Matrix1(n, A)");
  __ghost(group_focus, "i := n - 1, range := 0..n, items := fun i -> &a[i] ~~> A(i)");
}

void use_group_unfocus(int n, float a[n]) {
  __requires("A: int -> float, n >= 1");
  __preserves("a ~> Matrix1(n, A)");
  __ghost(group_unfocus, "i := n - 1, range := 0..n, items := fun i -> &a[i] ~~> A(i)");
}

void use_ro_group_focus(int n, float a[n]) {
  __requires("A: int -> float, n >= 1");
  __reads("a ~> Matrix1(n, A)");
  __ghost(ro_group_focus, "i := n - 1, range := 0..n, items := fun i -> &a[i] ~~> A(i)");
}

void use_ro_group_unfocus(int n, float a[n]) {
  __requires("A: int -> float, n >= 1");
  __reads("a ~> Matrix1(n, A)");
  __ghost(ro_group_unfocus, "i := n - 1, range := 0..n, items := fun i -> &a[i] ~~> A(i)");
}

void use_ro_group2_focus(int n, int m, float a[n][m]) {
  __requires("A: int * int -> float, n >= 1, m >= 1");
  __reads("a ~> Matrix2(n, m, A)");
  __ghost(ro_group2_focus, "i := m - 1, r := 0..m, r2 := 0..n, items := fun i j -> &a[i][j] ~~> A(i, j)");
}

void use_ro_group2_unfocus(int n, int m, float a[n][m]) {
  __requires("A: int * int -> float, n >= 1, m >= 1");
  __reads("a ~> Matrix2(n, m, A)");
  __ghost(ro_group2_unfocus, "i := m - 1, r := 0..m, r2 := 0..n, items := fun i j -> &a[i][j] ~~> A(i, j)");
}

void use_group_focus_subrange(int n, float a[n]) {
  __requires("A: int -> float, n >= 1");
  __preserves("a ~> Matrix1(n, A)");
  __ghost(group_focus_subrange, "sub_range := 1..n, big_range := 0..n, items := fun i -> &a[i] ~~> A(i)");
}

void use_group_unfocus_subrange(int n, float a[n]) {
  __requires("A: int -> float, n >= 1");
  __preserves("a ~> Matrix1(n, A)");
  __ghost(group_unfocus_subrange, "sub_range := 1..n, big_range := 0..n, items := fun i -> &a[i] ~~> A(i)");
}

void use_ro_group_focus_subrange(int n, float a[n]) {
  __requires("A: int -> float, n >= 1");
  __reads("a ~> Matrix1(n, A)");
  __ghost(ro_group_focus_subrange, "sub_range := 1..n, big_range := 0..n, items := fun i -> &a[i] ~~> A(i)");
}

void use_ro_group_unfocus_subrange(int n, float a[n]) {
  __requires("A: int -> float, n >= 1");
  __reads("a ~> Matrix1(n, A)");
  __ghost(ro_group_unfocus_subrange, "sub_range := 1..n, big_range := 0..n, items := fun i -> &a[i] ~~> A(i)");
}
