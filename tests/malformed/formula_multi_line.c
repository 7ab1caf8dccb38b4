#include <optigpu.h>
void f(int n, float a[n]) {
  __requires("n > 0, "
             "m > 0");
}
