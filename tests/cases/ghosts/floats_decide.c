// Where floats decide something, each function is proved a second time with floats left open: ghosts about floats say nothing there.
// expect: VERIFIED
// run: clean
// mutate: '__ghost(assert_prop, "P := 1 /. exp(x) =. 1 /. exp(x)", "h <- proof");'
//   -> '__ghost(assert_prop, "P := 1 /. x =. 1 /. x", "h <- proof");' => UNPROVED[OG361] __ghost(assert_prop, "P := 1 /. x =. 1 /. x", "h <- proof")
// mutate: 'k = 3;' -> 'k = n;' => REFUTED[OG302] a[k]
// mutate: '__GHOST_END(one);' -> 'a[0] = 2.0f; __GHOST_END(one);' => REFUTED[OG322] __GHOST_END(one)

#include <optigpu.h>

int f(int n, float x, float a[n]) {
  __requires("A: int -> float, n >= 4");
  __preserves("a ~> Matrix1(n, A)");
  __ensures("0 <= _Res && _Res < n");
  __ghost(assert_prop, "P := 1 /. exp(x) =. 1 /. exp(x)", "h <- proof");
  __GHOST_BEGIN(one, group_focus, "i := 0, range := 0..n, items := fun i -> &a[i] ~~> A(i)");
  int k = 0;
  if (a[0] < x) {
    k = 3;
  }
  __GHOST_END(one);
  const float y = a[k];
  return y < x ? 0 : k;
}
