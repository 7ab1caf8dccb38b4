#include <optigpu.h>
float f(int n) {
  float x = 1.0f;
}
