#include <optigpu.h>
void f(int n, float a[n]) {
  __ghost(eq_refl_int, "y := n");
}
