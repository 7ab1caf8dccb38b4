#include <optigpu.h>
void g(int n, float a[n]) {
  a[0] = 1.0f;
}
void f(int n, float m[n][n]) {
  g(n, m);
}
