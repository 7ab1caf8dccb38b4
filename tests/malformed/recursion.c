#include <optigpu.h>
void g(int n);
void f(int n) {
  g(n);
}
void g(int n) {
  f(n);
}
