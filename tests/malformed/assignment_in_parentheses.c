#include <optigpu.h>
void f(int n, float a[n]) {
  int x = 0;
  int y = 0;
  x = (y = 1);
}
