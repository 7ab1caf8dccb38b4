// A call in the body changes the bound of the loop.
// expect: VERIFIED
// mutate: "i < n" -> "i < p[0]" => REJECTED[OG118] p[0]; i++) {

#include <optigpu.h>
void two(int q[1]) { __writes("&q[0] ~~> 2"); q[0] = 2; }
void f(int p[1], int a[10]) {
  __consumes("&p[0] ~~> 10, for i in 0..10 -> &a[i] ~> Cell");
  __produces("&p[0] ~~> 2, for i in 0..10 -> &a[i] ~~> 0");
  const int n = p[0];
  for (int i = 0; i < n; i++) {
    a[i] = 0;
    two(p);
  }
}
