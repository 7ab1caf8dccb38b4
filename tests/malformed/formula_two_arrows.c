#include <optigpu.h>
void f(int n, float a[n]) {
  __consumes("&a[0] ~~> 1 * &a[1] ~~> 2");
}
