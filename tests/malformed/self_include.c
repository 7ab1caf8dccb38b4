#include "self_include.c"
