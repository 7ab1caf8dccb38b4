#include <optigpu.h>
void f(int n, float a[n]) {
  int8_t x = 300;
}
