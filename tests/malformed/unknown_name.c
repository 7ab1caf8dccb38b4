#include <optigpu.h>
void f(int n, float a[n]) {
  a[0] = value;
}
