// Ghosts that put an equal value in the place of another.
// expect: VERIFIED
// mutate: '__ghost(rewrite_prop, "inside := fun v -> v >= 2, by := e", "h <- out");' -> '__ghost(rewrite_prop, "inside := fun v -> v >= 3, by := e", "h <- out");' => UNPROVED[OG322] __ghost(rewrite_prop, "inside := fun v -> v >= 3, by := e", "h <- out")
// mutate: '__ghost(rewrite_float_prop, "inside := fun v -> v >=. 2, by := e");' -> '__ghost(rewrite_float_prop, "inside := fun v -> v >=. 3, by := e");' => UNPROVED[OG322] __ghost(rewrite_float_prop, "inside := fun v -> v >=. 3, by := e")
// mutate: '__ghost(rewrite_linear, "inside := fun v -> s ~~> v, by := e");' -> '__ghost(rewrite_linear, "inside := fun v -> s ~~> v + 1, by := e");' => UNPROVED[OG322] __ghost(rewrite_linear, "inside := fun v -> s ~~> v + 1, by := e")
// mutate: '__ghost(rewrite_int_linear, "from := 2 * n, to := n + n, inside := fun v -> s ~~> v");' -> '__ghost(rewrite_int_linear, "from := 2 * n, to := n + 1, inside := fun v -> s ~~> v");' => UNPROVED[OG322] __ghost(rewrite_int_linear, "from := 2 * n, to := n + 1, inside := fun v -> s ~~> v")
// mutate: '__ghost(rewrite_float_linear, "from := 2 * x, to := x + x, inside := fun v -> s ~~> v");' -> '__ghost(rewrite_float_linear, "from := 2 * x, to := x, inside := fun v -> s ~~> v");' => UNPROVED[OG322] __ghost(rewrite_float_linear, "from := 2 * x, to := x, inside := fun v -> s ~~> v")

#include <optigpu.h>

void prop(int n, int m) {
  __requires("e: n == m + 1, n >= 2");
  __ghost(rewrite_prop, "inside := fun v -> v >= 2, by := e", "h <- out");
}

void float_prop(int n) {
  __requires("x: float, y: float, e: x =. y, x >=. 2");
  __ghost(rewrite_float_prop, "inside := fun v -> v >=. 2, by := e");
}

void linear(int n, int s[1]) {
  __requires("e: 2 * n == n + n");
  __preserves("s ~~> 2 * n");
  __ghost(rewrite_linear, "inside := fun v -> s ~~> v, by := e");
}

void int_linear(int n, int s[1]) {
  __preserves("s ~~> 2 * n");
  __ghost(rewrite_int_linear, "from := 2 * n, to := n + n, inside := fun v -> s ~~> v");
}

void float_linear(float s[1]) {
  __requires("x: float");
  __preserves("s ~~> 2 * x");
  __ghost(rewrite_float_linear, "from := 2 * x, to := x + x, inside := fun v -> s ~~> v");
}
