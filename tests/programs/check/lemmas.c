#include <optigpu.h>
__DECL(f, "int -> int");
__AXIOM(f_zero, "f(0) == 0");
__AXIOM(f_next, "forall (n: int) (h: n >= 0) -> f(n + 1) == f(n) + 2");
__GHOST(f_is_double) {
  __requires("n: int, pos: n >= 0");
  __ensures("twice: f(n) == 2 * n");
  for (int i = 0; i < n; i++) {
    __invariant("f(i) == 2 * i");
  }
}
int g(int n) {
  __requires("n >= 3, n <= 1000");
  __ensures("_Res == f(n)");
  __ghost(f_is_double, "n := n");
  return n + n;
}
int g2(int n) {
  __requires("n >= 3, n <= 1000");
  __ensures("_Res == f(n)");
  return n + n;
}
int g3(int n) {
  __requires("n >= -3, n <= 1000");
  __ensures("_Res == f(n)");
  __ghost(f_is_double, "n");
  return n + n;
}
