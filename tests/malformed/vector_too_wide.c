#include <optigpu.h>
void f(int n, double a[n]) {
  double r[4];
  vload4(&r[0], &a[0]);
}
