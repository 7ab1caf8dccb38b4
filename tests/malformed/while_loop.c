#include <optigpu.h>
void f(int n, float a[n]) {
  while (n > 0) { }
}
