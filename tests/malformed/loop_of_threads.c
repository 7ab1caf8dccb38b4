#include <optigpu.h>

void f(int n) {
  thread for (int h = 8; h > 0; h >>= 1) { }
}
