// A pointer in the body changes the bound of the loop; another pointer has its name.
// expect: VERIFIED
// mutate: "i < n" -> "i < p[0]" => REJECTED[OG118] p[0]; i++) {

#include <optigpu.h>
void f(int p[1], int b[1], int a[10]) {
  __consumes("&p[0] ~~> 10, &b[0] ~> Cell, for i in 0..10 -> &a[i] ~> Cell");
  __produces("&p[0] ~~> 2, &b[0] ~> Cell, for i in 0..10 -> &a[i] ~~> 0");
  const int n = p[0];
  {
    int* const q = &p[0];
    for (int i = 0; i < n; i++) {
      a[i] = 0;
      q[0] = 2;
    }
  }
  {
    int* const q = &b[0];
    q[0] = 1;
  }
}
