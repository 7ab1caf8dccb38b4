#include <optigpu.h>
void f(int n, float a[n]) {
  __reads("n > 0");
}
