#include <optigpu.h>
typedef int index;
