#include <optigpu.h>

// even positions get 0, odd ones get 1
void strided(int n, int a[n]) {
  __writes("a ~> Matrix1(n, fun i -> i % 2)");
  for (int i = 0; i < n; i += 2) {
    a[i] = 0;
  }
  for (int i = 1; i < n; i += 2) {
    a[i] = 1;
  }
}
