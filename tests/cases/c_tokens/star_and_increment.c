// `*p++` steps the pointer and not the element.
// expect: VERIFIED
// mutate: "(*p)++" -> "*p++" => REJECTED[OG010] ++

#include <optigpu.h>
void f(int* p) {
  __consumes("p ~~> 1");
  __produces("p ~~> 2");
  (*p)++;
}
