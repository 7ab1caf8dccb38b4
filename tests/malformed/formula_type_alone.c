#include <optigpu.h>
void f(int n, float a[n]) {
  __requires("int");
}
