// Ghosts about facts: each proves a fact and can give it a name.
// expect: VERIFIED
// mutate: '__ghost(assert_prop, "P := n >= 0", "h <- proof");' -> '__ghost(assert_prop, "P := n >= 2", "h <- proof");' => UNPROVED[OG322] __ghost(assert_prop, "P := n >= 2", "h <- proof")
// mutate: '__ghost(assert_prop, "P := n >= 0", "h <- proof");' -> '__ghost(assert_prop, "P := 5 / (n - 1) == 5 / (n - 1)");' => UNPROVED[OG361] __ghost(assert_prop, "P := 5 / (n - 1) == 5 / (n - 1)")
// mutate: '__ghost(assert_hprop, "for i in 0..n -> &a[i] ~~> A(i)");' -> '__ghost(assert_hprop, "for i in 0..n + 1 -> &a[i] ~~> A(i)");' => UNPROVED[OG322] __ghost(assert_hprop, "for i in 0..n + 1 -> &a[i] ~~> A(i)")
// mutate: '__ghost(assert_inhabited, "x := n");' -> '__ghost(assert_inhabited, "x := m");' => REJECTED[OG100] m");
// mutate: '__ghost(assert_eq, "n, 1");' -> '__ghost(assert_eq, "n, 2");' => UNPROVED[OG322] __ghost(assert_eq, "n, 2")
// mutate: '__ghost(eq_refl_float, "x := x + 1", "h <- eq"); __ASSERT("x + 1 =. x + 1");' -> '__ghost(eq_refl_float, "x := x + 1", "h <- eq"); __ASSERT("x + 1 =. x");' => UNPROVED[OG321] x + 1 =. x
// mutate: '__ghost(eq_refl_int, "n", "h <- eq"); __ASSERT("n == n");' -> '__ghost(eq_refl_int, "n", "h <- eq"); __ASSERT("n == n + 1");' => REFUTED[OG321] n == n + 1
// mutate: '__ghost(eq_sym_float, "H := e", "h <- eq"); __ASSERT("y + 1 =. x");' -> '__ghost(eq_sym_float, "x, y"); __ASSERT("y + 1 =. x");' => UNPROVED[OG322] __ghost(eq_sym_float, "x, y")
// mutate: '__ghost(eq_sym_int, "H := e");' -> '__ghost(eq_sym_int, "n, 4");' => UNPROVED[OG322] __ghost(eq_sym_int, "n, 4")
// mutate: '__ghost(eq_trans_float, "H1 := e, H2 := d");' -> '__ghost(eq_trans_float, "x := x, y := y, z := z + 1");' => UNPROVED[OG322] __ghost(eq_trans_float, "x := x, y := y, z := z + 1")
// mutate: '__ghost(eq_trans_int, "H1 := e, H2 := d", "h <- eq");' -> '__ghost(eq_trans_int, "n, m, 4", "h <- eq");' => UNPROVED[OG322] __ghost(eq_trans_int, "n, m, 4", "h <- eq")

#include <optigpu.h>

void prop(int n) {
  __requires("n >= 1");
  __ghost(assert_prop, "P := n >= 0", "h <- proof");
}

void hprop(int n, float a[n]) {
  __requires("A: int -> float, n >= 1");
  __preserves("a ~> Matrix1(n, A)");
  __ghost(assert_hprop, "for i in 0..n -> &a[i] ~~> A(i)");
}

void inhabited(int n) {
  __requires("n >= 1");
  __ghost(assert_inhabited, "x := n");
}

void eq(int n) {
  __requires("n == 1");
  __ghost(assert_eq, "n, 1");
}

void refl_float(int n) {
  __requires("x: float");
  __ghost(eq_refl_float, "x := x + 1", "h <- eq"); __ASSERT("x + 1 =. x + 1");
}

void refl_int(int n) {
  __requires("n >= 1");
  __ghost(eq_refl_int, "n", "h <- eq"); __ASSERT("n == n");
}

void sym_float(int n) {
  __requires("x: float, y: float, e: x =. y + 1");
  __ghost(eq_sym_float, "H := e", "h <- eq"); __ASSERT("y + 1 =. x");
}

void sym_int(int n) {
  __requires("e: n == 3");
  __ghost(eq_sym_int, "H := e");
}

void trans_float(int n) {
  __requires("x: float, y: float, z: float, e: x =. y, d: y =. z");
  __ghost(eq_trans_float, "H1 := e, H2 := d");
}

void trans_int(int n, int m) {
  __requires("e: n == m, d: m == 3");
  __ghost(eq_trans_int, "H1 := e, H2 := d", "h <- eq");
}
