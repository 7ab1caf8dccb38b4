#include <optigpu.h>
void f(int n, float a[n]) {
  __ensures("_Res > 0");
}
