// Adjacent strings are one string, as in C, even inside of a word. Errors are told at the piece where they are.
// expect: VERIFIED
// also: annotated, replay
// run: clean
// mutate: '">= 1"' -> '">= k"' => REJECTED[OG100] k
// mutate: '"rix1(n, A)"' -> '"rix1(n, A"' => REJECTED[OG005] A");
// mutate: '"rix1(n, A)"' -> '"rix1(n, "\n              "B)"' => REJECTED[OG100] B
// mutate: 'fun v ->"\n             " s ~~> v' -> 'fun v ->"\n             " s ~~> v + 1' => UNPROVED[OG322] __ghost(rewrite_linear,
// mutate: '"&& s"\n             "[0] >= 1"' -> '"&& s"\n             "[0] >= 2"' => REFUTED[OG321] n >= 1 " "&& s"

#include <optigpu.h>

void f(int n, int s[1], float a[n]) {
  __requires("A: int -> flo"
             "at, n "
             ">= 1");
  __preserves("a ~> Mat"
              "rix1(n, A)");
  __preserves("s ~~> 1"  // a comment between the pieces
              "");
  __ghost(rewrite_linear,
          "from := 1, to := 2 - 1, inside := fun v ->"
             " s ~~> v");
  __ASSERT("n >= 1 " "&& s"
             "[0] >= 1");
}
