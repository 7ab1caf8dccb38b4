#include <optigpu.h>
struct s { int x; };
