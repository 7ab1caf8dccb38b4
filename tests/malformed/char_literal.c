#include <optigpu.h>
void f(int n, float a[n]) {
  int x = 'c';
}
