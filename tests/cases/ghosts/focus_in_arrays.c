// A focus on one cell of an array, and its end. Sizes and contents that are not given are those of the array.
// expect: VERIFIED
// also: annotated, replay
// mutate: '__ghost(matrix1_focus, "a, n - 1");' -> '__ghost(matrix1_focus, "a, n");' => UNPROVED[OG322] __ghost(matrix1_focus, "a, n")
// mutate: '__ghost(matrix1_unfocus, "a, n - 1");' -> '__ghost(matrix1_unfocus, "a, n");' => UNPROVED[OG322] __ghost(matrix1_unfocus, "a, n")
// mutate: '__ghost(matrix2_focus, "matrix := a, i := 0, j := m - 1, M := A");' -> '__ghost(matrix2_focus, "matrix := a, i := 0, j := m - 1, M := fun i j -> A(i, j) + 1");' => UNPROVED[OG322] __ghost(matrix2_focus, "matrix := a, i := 0, j := m - 1, M := fun i j -> A(i, j) + 1")
// mutate: '__ghost(matrix2_unfocus, "matrix := a, i := 0, j := m - 1, M := A");' -> '__ghost(matrix2_unfocus, "matrix := a, i := 0, j := m - 1, M := fun i j -> A(i, j) + 1");' => UNPROVED[OG322] __ghost(matrix2_unfocus, "matrix := a, i := 0, j := m - 1, M := fun i j -> A(i, j) + 1")
// mutate: '__ghost(ro_matrix1_focus, "a, n - 1");' -> '__ghost(ro_matrix1_focus, "a, n");' => UNPROVED[OG322] __ghost(ro_matrix1_focus, "a, n")
// mutate: '__ghost(ro_matrix1_unfocus, "a, n - 1");' -> '__ghost(ro_matrix1_unfocus, "a, n");' => UNPROVED[OG322] __ghost(ro_matrix1_unfocus, "a, n")
// mutate: '__ghost(ro_matrix2_focus, "matrix := a, i := 0, j := m - 1, M := A");' -> '__ghost(ro_matrix2_focus, "matrix := a, i := 0, j := m - 1, M := fun i j -> A(i, j) + 1");' => UNPROVED[OG322] __ghost(ro_matrix2_focus, "matrix := a, i := 0, j := m - 1, M := fun i j -> A(i, j) + 1")
// mutate: '__ghost(ro_matrix2_unfocus, "matrix := a, i := 0, j := m - 1, M := A");' -> '__ghost(ro_matrix2_unfocus, "matrix := a, i := 0, j := m - 1, M := fun i j -> A(i, j) + 1");' => UNPROVED[OG322] __ghost(ro_matrix2_unfocus, "matrix := a, i := 0, j := m - 1, M := fun i j -> A(i, j) + 1")
// mutate: '__ghost(close_wand, "H1 := &a[0] ~~> A(0), H2 := a ~> Matrix1(n, A)");' -> '__ghost(close_wand, "H1 := &a[0] ~~> A(0), H2 := a ~> Matrix1(n + 1, A)");' => UNPROVED[OG322] __ghost(close_wand, "H1 := &a[0] ~~> A(0), H2 := a ~> Matrix1(n + 1, A)")
// mutate: '__ghost(forget_init, "H := a ~> Matrix1(n, A)");' -> '__ghost(forget_init, "H := a ~> Matrix1(n + 1, A)");' => UNPROVED[OG322] __ghost(forget_init, "H := a ~> Matrix1(n + 1, A)")
// mutate: '__ghost(ro_split2, "H := a ~> Matrix1(n, A)");' -> '__ghost(ro_split2, "H := a ~> Matrix1(n + 1, A)");' => UNPROVED[OG322] __ghost(ro_split2, "H := a ~> Matrix1(n + 1, A)")

#include <optigpu.h>

void use_matrix1_focus(int n, float a[n]) {
  __requires("A: int -> float, n >= 1");
  __preserves("a ~> Matrix1(n, A)");
  __ghost(matrix1_focus, "a, n - 1");
}

void use_matrix1_unfocus(int n, float a[n]) {
  __requires("A: int -> float, n >= 1");
  __preserves("a ~> Matrix1(n, A)");
  __ghost(matrix1_unfocus, "a, n - 1");
}

void use_matrix2_focus(int n, int m, float a[n][m]) {
  __requires("A: int * int -> float, n >= 1, m >= 1");
  __preserves("a ~> Matrix2(n, m, A)");
  __ghost(matrix2_focus, "matrix := a, i := 0, j := m - 1, M := A");
}

void use_matrix2_unfocus(int n, int m, float a[n][m]) {
  __requires("A: int * int -> float, n >= 1, m >= 1");
  __preserves("a ~> Matrix2(n, m, A)");
  __ghost(matrix2_unfocus, "matrix := a, i := 0, j := m - 1, M := A");
}

void use_ro_matrix1_focus(int n, float a[n]) {
  __requires("A: int -> float, n >= 1");
  __reads("a ~> Matrix1(n, A)");
  __ghost(ro_matrix1_focus, "a, n - 1");
}

void use_ro_matrix1_unfocus(int n, float a[n]) {
  __requires("A: int -> float, n >= 1");
  __reads("a ~> Matrix1(n, A)");
  __ghost(ro_matrix1_unfocus, "a, n - 1");
}

void use_ro_matrix2_focus(int n, int m, float a[n][m]) {
  __requires("A: int * int -> float, n >= 1, m >= 1");
  __reads("a ~> Matrix2(n, m, A)");
  __ghost(ro_matrix2_focus, "matrix := a, i := 0, j := m - 1, M := A");
}

void use_ro_matrix2_unfocus(int n, int m, float a[n][m]) {
  __requires("A: int * int -> float, n >= 1, m >= 1");
  __reads("a ~> Matrix2(n, m, A)");
  __ghost(ro_matrix2_unfocus, "matrix := a, i := 0, j := m - 1, M := A");
}

void wand(int n, float a[n]) {
  __requires("A: int -> float, n >= 1");
  __preserves("a ~> Matrix1(n, A)");
  __ghost(close_wand, "H1 := &a[0] ~~> A(0), H2 := a ~> Matrix1(n, A)");
}

void forget(int n, float a[n]) {
  __requires("A: int -> float, n >= 1");
  __preserves("a ~> Matrix1(n, A)");
  __ghost(forget_init, "H := a ~> Matrix1(n, A)");
}

void split(int n, float a[n]) {
  __requires("A: int -> float, n >= 1");
  __reads("a ~> Matrix1(n, A)");
  __ghost(ro_split2, "H := a ~> Matrix1(n, A)");
}
