#include <optigpu.h>
void f(int n) {
  int x = n;
