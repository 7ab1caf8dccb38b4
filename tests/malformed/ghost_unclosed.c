#include <optigpu.h>
void f(int n, float a[n]) {
  __GHOST_BEGIN(g, eq_refl_int, "n");
}
