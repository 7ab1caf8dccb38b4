#include <optigpu.h>
void f(int n, float a[n]) {
  int x = 99999999999999999999999999;
}
