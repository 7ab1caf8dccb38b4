#include <optigpu.h>
float f(int n) {
  if (n > 0) return 1.0f;
  return 2.0f;
}
