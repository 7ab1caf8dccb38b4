// Ghosts about ranges.
// expect: VERIFIED
// mutate: '__ghost(in_range_bounds, "x, 0, n", "low <- lower_bound, high <- upper_bound");' -> '__ghost(in_range_bounds, "x, 1, n", "low <- lower_bound, high <- upper_bound");' => UNPROVED[OG322] __ghost(in_range_bounds, "x, 1, n", "low <- lower_bound, high <- upper_bound")
// mutate: '__ghost(in_range_extend, "x, 0..n, -1..n + 1", "h <- out");' -> '__ghost(in_range_extend, "x, 0..n, 1..n + 1", "h <- out");' => UNPROVED[OG322] __ghost(in_range_extend, "x, 0..n, 1..n + 1", "h <- out")
// mutate: '__ghost(in_range_shift, "x := x, k := 3, a := 0, b := n, s := 2");' -> '__ghost(in_range_shift, "x := x, k := 3, a := 0, b := n - 1, s := 2");' => UNPROVED[OG322] __ghost(in_range_shift, "x := x, k := 3, a := 0, b := n - 1, s := 2")
// mutate: '__ghost(in_range_shift_extend, "x := x, k := 1, r := 0..n + 1, a := 0, b := n");' -> '__ghost(in_range_shift_extend, "x := x, k := 1, r := 0..n, a := 0, b := n");' => UNPROVED[OG322] __ghost(in_range_shift_extend, "x := x, k := 1, r := 0..n, a := 0, b := n")
// mutate: '__ghost(tiled_index_in_range, "t, x, n, 32, 32 * n");' -> '__ghost(tiled_index_in_range, "t, x, n, 32, 32 * n - 1");' => UNPROVED[OG322] __ghost(tiled_index_in_range, "t, x, n, 32, 32 * n - 1")

#include <optigpu.h>

void bounds(int x, int n) {
  __requires("in_range(x, 0..n)");
  __ghost(in_range_bounds, "x, 0, n", "low <- lower_bound, high <- upper_bound");
}

void extend(int x, int n) {
  __requires("in_range(x, 0..n)");
  __ghost(in_range_extend, "x, 0..n, -1..n + 1", "h <- out");
}

void shift(int x, int n) {
  __requires("in_range(x, range(0, n, 2))");
  __ghost(in_range_shift, "x := x, k := 3, a := 0, b := n, s := 2");
}

void shift_extend(int x, int n) {
  __requires("in_range(x, 0..n)");
  __ghost(in_range_shift_extend, "x := x, k := 1, r := 0..n + 1, a := 0, b := n");
}

void tiled(int t, int x, int n) {
  __requires("in_range(t, 0..n), in_range(x, 0..32), n <= 1000");
  __ghost(tiled_index_in_range, "t, x, n, 32, 32 * n");
}
