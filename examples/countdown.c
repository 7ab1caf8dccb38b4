#include <optigpu.h>

// from the last element to the first
void countdown(int n, int a[n]) {
  __writes("a ~> Matrix1(n, fun i -> n - i)");
  for (int i = n - 1; i >= 0; i--) {
    a[i] = n - i;
  }
}
