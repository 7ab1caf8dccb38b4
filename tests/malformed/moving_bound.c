#include <optigpu.h>
void f(int n, float a[n]) {
  int m = n;
  for (int i = 0; i < m; i++) { m = m - 1; }
}
