#include <optigpu.h>
void f(int n, int m, float a[n][m]) {
  a[MINDEX2(n, n, 0, 0)] = 1.0f;
}
