#include <optigpu.h>
void f(int n, float a[n]) {
  int i = 0;
  for (i = 0; i < n; i++) { }
}
