#include <optigpu.h>
void f(int n, float a[n]) {
  for (int i = 0; i < n; n++) { }
}
