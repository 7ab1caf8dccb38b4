#include <optigpu.h>
void f(int n, float a[n]) {
  int x = 12abc;
}
