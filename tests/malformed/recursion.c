#include <optigpu.h>
void f(int n) {
  g(n);
}
void g(int n) {
  f(n);
}
