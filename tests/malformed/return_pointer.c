#include <optigpu.h>
float* f(int n) {
  return 0;
}
