#include <optigpu.h>
void f(int n, int n) {
}
