#include <optigpu.h>
void f(int n, float a[n]) {
  for (float i = 0; i < n; i++) { }
}
