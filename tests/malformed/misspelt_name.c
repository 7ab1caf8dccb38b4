#include <optigpu.h>
void f(int n, float a[n]) {
  int width = n;
  a[0] = widht;
}
