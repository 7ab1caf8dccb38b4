#include <optigpu.h>
int x = 3;
