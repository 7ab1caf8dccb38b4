#include <optigpu.h>
void f(int n, float a[n]) {
  do { } while (n > 0);
}
