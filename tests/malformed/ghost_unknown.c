#include <optigpu.h>
void f(int n, float a[n]) {
  __ghost(no_such_ghost, "n");
}
