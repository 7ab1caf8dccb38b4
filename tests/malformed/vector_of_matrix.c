#include <optigpu.h>
void f(int n, float a[n][4]) {
  float r[4];
  vload4(&r[0], a);
}
