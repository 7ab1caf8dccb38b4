// The same permissions, in groups of another form.
// expect: VERIFIED
// mutate: '__ghost(swap_groups, "outer_range := 0..n, inner_range := 0..m, items := fun i j -> &a[i][j] ~~> A(i, j)");' -> '__ghost(swap_groups, "outer_range := 0..m, inner_range := 0..n, items := fun i j -> &a[i][j] ~~> A(i, j)");' => UNPROVED[OG322] __ghost(swap_groups, "outer_range := 0..m, inner_range := 0..n, items := fun i j -> &a[i][j] ~~> A(i, j)")
// mutate: '__ghost(swap_groups, "outer_range := 0..n, inner_range := 0..m, items := fun i j -> &a[i][j] ~~> A(i, j)");' -> '__ghost(swap_groups, "outer_range := 0..n, inner_range := 0..m, items := fun i j -> &a[i][j] ~~> A(i, j) + 1");' => UNPROVED[OG322] __ghost(swap_groups, "outer_range := 0..n, inner_range := 0..m, items := fun i j -> &a[i][j] ~~> A(i, j) + 1")
// mutate: '__ghost(swap_groups_rev, "outer_range := 0..n, inner_range := 0..m, items := fun i j -> &a[i][j] ~~> A(i, j)");' -> '__ghost(swap_groups_rev, "outer_range := 0..m, inner_range := 0..n, items := fun i j -> &a[i][j] ~~> A(i, j)");' => UNPROVED[OG322] __ghost(swap_groups_rev, "outer_range := 0..m, inner_range := 0..n, items := fun i j -> &a[i][j] ~~> A(i, j)")
// mutate: '__ghost(swap_groups_rev, "outer_range := 0..n, inner_range := 0..m, items := fun i j -> &a[i][j] ~~> A(i, j)");' -> '__ghost(swap_groups_rev, "outer_range := 0..n, inner_range := 0..m, items := fun i j -> &a[i][j] ~~> A(i, j) + 1");' => UNPROVED[OG322] __ghost(swap_groups_rev, "outer_range := 0..n, inner_range := 0..m, items := fun i j -> &a[i][j] ~~> A(i, j) + 1")
// mutate: '__ghost(tile_divides, "tile_count := n / 32, tile_size := 32, size := n, items := fun i -> &a[i] ~~> A(i)");' -> '__ghost(tile_divides, "tile_count := n / 32, tile_size := 31, size := n, items := fun i -> &a[i] ~~> A(i)");' => UNPROVED[OG322] __ghost(tile_divides, "tile_count := n / 32, tile_size := 31, size := n, items := fun i -> &a[i] ~~> A(i)")
// mutate: '__ghost(tile_divides, "tile_count := n / 32, tile_size := 32, size := n, items := fun i -> &a[i] ~~> A(i)");' -> '__ghost(tile_divides, "tile_count := n / 32, tile_size := 32, size := n, items := fun i -> &a[i] ~~> A(i) + 1");' => UNPROVED[OG322] __ghost(tile_divides, "tile_count := n / 32, tile_size := 32, size := n, items := fun i -> &a[i] ~~> A(i) + 1")
// mutate: '__ghost(untile_divides, "tile_count := n / 32, tile_size := 32, size := n, items := fun i -> &a[i] ~~> A(i)");' -> '__ghost(untile_divides, "tile_count := n / 32, tile_size := 31, size := n, items := fun i -> &a[i] ~~> A(i)");' => UNPROVED[OG322] __ghost(untile_divides, "tile_count := n / 32, tile_size := 31, size := n, items := fun i -> &a[i] ~~> A(i)")
// mutate: '__ghost(untile_divides, "tile_count := n / 32, tile_size := 32, size := n, items := fun i -> &a[i] ~~> A(i)");' -> '__ghost(untile_divides, "tile_count := n / 32, tile_size := 32, size := n, items := fun i -> &a[i] ~~> A(i) + 1");' => UNPROVED[OG322] __ghost(untile_divides, "tile_count := n / 32, tile_size := 32, size := n, items := fun i -> &a[i] ~~> A(i) + 1")
// mutate: '__ghost(group_collapse, "n := n, m := m, items := fun i j -> &a[i][j] ~~> A(i, j)");' -> '__ghost(group_collapse, "n := m, m := n, items := fun i j -> &a[i][j] ~~> A(i, j)");' => UNPROVED[OG322] __ghost(group_collapse, "n := m, m := n, items := fun i j -> &a[i][j] ~~> A(i, j)")
// mutate: '__ghost(group_collapse, "n := n, m := m, items := fun i j -> &a[i][j] ~~> A(i, j)");' -> '__ghost(group_collapse, "n := n, m := m, items := fun i j -> &a[i][j] ~~> A(i, j) + 1");' => UNPROVED[OG322] __ghost(group_collapse, "n := n, m := m, items := fun i j -> &a[i][j] ~~> A(i, j) + 1")
// mutate: '__ghost(group_uncollapse, "n := n, m := m, items := fun i j -> &a[i][j] ~~> A(i, j)");' -> '__ghost(group_uncollapse, "n := m, m := n, items := fun i j -> &a[i][j] ~~> A(i, j)");' => UNPROVED[OG322] __ghost(group_uncollapse, "n := m, m := n, items := fun i j -> &a[i][j] ~~> A(i, j)")
// mutate: '__ghost(group_uncollapse, "n := n, m := m, items := fun i j -> &a[i][j] ~~> A(i, j)");' -> '__ghost(group_uncollapse, "n := n, m := m, items := fun i j -> &a[i][j] ~~> A(i, j) + 1");' => UNPROVED[OG322] __ghost(group_uncollapse, "n := n, m := m, items := fun i j -> &a[i][j] ~~> A(i, j) + 1")
// mutate: '__ghost(ro_swap_groups, "outer_range := 0..n, inner_range := 0..m, items := fun i j -> &a[i][j] ~~> A(i, j)");' -> '__ghost(ro_swap_groups, "outer_range := 0..m, inner_range := 0..n, items := fun i j -> &a[i][j] ~~> A(i, j)");' => UNPROVED[OG322] __ghost(ro_swap_groups, "outer_range := 0..m, inner_range := 0..n, items := fun i j -> &a[i][j] ~~> A(i, j)")
// mutate: '__ghost(ro_swap_groups, "outer_range := 0..n, inner_range := 0..m, items := fun i j -> &a[i][j] ~~> A(i, j)");' -> '__ghost(ro_swap_groups, "outer_range := 0..n, inner_range := 0..m, items := fun i j -> &a[i][j] ~~> A(i, j) + 1");' => UNPROVED[OG322] __ghost(ro_swap_groups, "outer_range := 0..n, inner_range := 0..m, items := fun i j -> &a[i][j] ~~> A(i, j) + 1")
// mutate: '__ghost(ro_swap_groups_rev, "outer_range := 0..n, inner_range := 0..m, items := fun i j -> &a[i][j] ~~> A(i, j)");' -> '__ghost(ro_swap_groups_rev, "outer_range := 0..m, inner_range := 0..n, items := fun i j -> &a[i][j] ~~> A(i, j)");' => UNPROVED[OG322] __ghost(ro_swap_groups_rev, "outer_range := 0..m, inner_range := 0..n, items := fun i j -> &a[i][j] ~~> A(i, j)")
// mutate: '__ghost(ro_swap_groups_rev, "outer_range := 0..n, inner_range := 0..m, items := fun i j -> &a[i][j] ~~> A(i, j)");' -> '__ghost(ro_swap_groups_rev, "outer_range := 0..n, inner_range := 0..m, items := fun i j -> &a[i][j] ~~> A(i, j) + 1");' => UNPROVED[OG322] __ghost(ro_swap_groups_rev, "outer_range := 0..n, inner_range := 0..m, items := fun i j -> &a[i][j] ~~> A(i, j) + 1")
// mutate: '__ghost(ro_tile_divides, "tile_count := n / 32, tile_size := 32, size := n, items := fun i -> &a[i] ~~> A(i)");' -> '__ghost(ro_tile_divides, "tile_count := n / 32, tile_size := 31, size := n, items := fun i -> &a[i] ~~> A(i)");' => UNPROVED[OG322] __ghost(ro_tile_divides, "tile_count := n / 32, tile_size := 31, size := n, items := fun i -> &a[i] ~~> A(i)")
// mutate: '__ghost(ro_tile_divides, "tile_count := n / 32, tile_size := 32, size := n, items := fun i -> &a[i] ~~> A(i)");' -> '__ghost(ro_tile_divides, "tile_count := n / 32, tile_size := 32, size := n, items := fun i -> &a[i] ~~> A(i) + 1");' => UNPROVED[OG322] __ghost(ro_tile_divides, "tile_count := n / 32, tile_size := 32, size := n, items := fun i -> &a[i] ~~> A(i) + 1")
// mutate: '__ghost(ro_untile_divides, "tile_count := n / 32, tile_size := 32, size := n, items := fun i -> &a[i] ~~> A(i)");' -> '__ghost(ro_untile_divides, "tile_count := n / 32, tile_size := 31, size := n, items := fun i -> &a[i] ~~> A(i)");' => UNPROVED[OG322] __ghost(ro_untile_divides, "tile_count := n / 32, tile_size := 31, size := n, items := fun i -> &a[i] ~~> A(i)")
// mutate: '__ghost(ro_untile_divides, "tile_count := n / 32, tile_size := 32, size := n, items := fun i -> &a[i] ~~> A(i)");' -> '__ghost(ro_untile_divides, "tile_count := n / 32, tile_size := 32, size := n, items := fun i -> &a[i] ~~> A(i) + 1");' => UNPROVED[OG322] __ghost(ro_untile_divides, "tile_count := n / 32, tile_size := 32, size := n, items := fun i -> &a[i] ~~> A(i) + 1")
// mutate: '__ghost(ro_group_collapse, "n := n, m := m, items := fun i j -> &a[i][j] ~~> A(i, j)");' -> '__ghost(ro_group_collapse, "n := m, m := n, items := fun i j -> &a[i][j] ~~> A(i, j)");' => UNPROVED[OG322] __ghost(ro_group_collapse, "n := m, m := n, items := fun i j -> &a[i][j] ~~> A(i, j)")
// mutate: '__ghost(ro_group_collapse, "n := n, m := m, items := fun i j -> &a[i][j] ~~> A(i, j)");' -> '__ghost(ro_group_collapse, "n := n, m := m, items := fun i j -> &a[i][j] ~~> A(i, j) + 1");' => UNPROVED[OG322] __ghost(ro_group_collapse, "n := n, m := m, items := fun i j -> &a[i][j] ~~> A(i, j) + 1")
// mutate: '__ghost(ro_group_uncollapse, "n := n, m := m, items := fun i j -> &a[i][j] ~~> A(i, j)");' -> '__ghost(ro_group_uncollapse, "n := m, m := n, items := fun i j -> &a[i][j] ~~> A(i, j)");' => UNPROVED[OG322] __ghost(ro_group_uncollapse, "n := m, m := n, items := fun i j -> &a[i][j] ~~> A(i, j)")
// mutate: '__ghost(ro_group_uncollapse, "n := n, m := m, items := fun i j -> &a[i][j] ~~> A(i, j)");' -> '__ghost(ro_group_uncollapse, "n := n, m := m, items := fun i j -> &a[i][j] ~~> A(i, j) + 1");' => UNPROVED[OG322] __ghost(ro_group_uncollapse, "n := n, m := m, items := fun i j -> &a[i][j] ~~> A(i, j) + 1")

#include <optigpu.h>

void use_swap_groups(int n, int m, float a[n][m]) {
  __requires("A: int * int -> float, n >= 1, m >= 1");
  __preserves("a ~> Matrix2(n, m, A)");
  __ghost(swap_groups, "outer_range := 0..n, inner_range := 0..m, items := fun i j -> &a[i][j] ~~> A(i, j)");
}

void use_swap_groups_rev(int n, int m, float a[n][m]) {
  __requires("A: int * int -> float, n >= 1, m >= 1");
  __preserves("a ~> Matrix2(n, m, A)");
  __ghost(swap_groups_rev, "outer_range := 0..n, inner_range := 0..m, items := fun i j -> &a[i][j] ~~> A(i, j)");
}

void use_tile_divides(int n, float a[n]) {
  __requires("A: int -> float, n >= 1, n % 32 == 0");
  __preserves("a ~> Matrix1(n, A)");
  __ghost(tile_divides, "tile_count := n / 32, tile_size := 32, size := n, items := fun i -> &a[i] ~~> A(i)");
}

void use_untile_divides(int n, float a[n]) {
  __requires("A: int -> float, n >= 1, n % 32 == 0");
  __preserves("a ~> Matrix1(n, A)");
  __ghost(untile_divides, "tile_count := n / 32, tile_size := 32, size := n, items := fun i -> &a[i] ~~> A(i)");
}

void use_group_collapse(int n, int m, float a[n][m]) {
  __requires("A: int * int -> float, n >= 1, m >= 1");
  __preserves("a ~> Matrix2(n, m, A)");
  __ghost(group_collapse, "n := n, m := m, items := fun i j -> &a[i][j] ~~> A(i, j)");
}

void use_group_uncollapse(int n, int m, float a[n][m]) {
  __requires("A: int * int -> float, n >= 1, m >= 1");
  __preserves("a ~> Matrix2(n, m, A)");
  __ghost(group_uncollapse, "n := n, m := m, items := fun i j -> &a[i][j] ~~> A(i, j)");
}

void use_ro_swap_groups(int n, int m, float a[n][m]) {
  __requires("A: int * int -> float, n >= 1, m >= 1");
  __reads("a ~> Matrix2(n, m, A)");
  __ghost(ro_swap_groups, "outer_range := 0..n, inner_range := 0..m, items := fun i j -> &a[i][j] ~~> A(i, j)");
}

void use_ro_swap_groups_rev(int n, int m, float a[n][m]) {
  __requires("A: int * int -> float, n >= 1, m >= 1");
  __reads("a ~> Matrix2(n, m, A)");
  __ghost(ro_swap_groups_rev, "outer_range := 0..n, inner_range := 0..m, items := fun i j -> &a[i][j] ~~> A(i, j)");
}

void use_ro_tile_divides(int n, float a[n]) {
  __requires("A: int -> float, n >= 1, n % 32 == 0");
  __reads("a ~> Matrix1(n, A)");
  __ghost(ro_tile_divides, "tile_count := n / 32, tile_size := 32, size := n, items := fun i -> &a[i] ~~> A(i)");
}

void use_ro_untile_divides(int n, float a[n]) {
  __requires("A: int -> float, n >= 1, n % 32 == 0");
  __reads("a ~> Matrix1(n, A)");
  __ghost(ro_untile_divides, "tile_count := n / 32, tile_size := 32, size := n, items := fun i -> &a[i] ~~> A(i)");
}

void use_ro_group_collapse(int n, int m, float a[n][m]) {
  __requires("A: int * int -> float, n >= 1, m >= 1");
  __reads("a ~> Matrix2(n, m, A)");
  __ghost(ro_group_collapse, "n := n, m := m, items := fun i j -> &a[i][j] ~~> A(i, j)");
}

void use_ro_group_uncollapse(int n, int m, float a[n][m]) {
  __requires("A: int * int -> float, n >= 1, m >= 1");
  __reads("a ~> Matrix2(n, m, A)");
  __ghost(ro_group_uncollapse, "n := n, m := m, items := fun i j -> &a[i][j] ~~> A(i, j)");
}
