#include <optigpu.h>
void f(int n) {
  for (int i = 0; i < n; i++) {
    int n = n + i;
  }
}
