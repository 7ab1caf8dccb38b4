// A pointer has another size than what it points to.
// expect: VERIFIED
// mutate: "(int);" -> "(int*);" => REJECTED[OG001] *);

#include <optigpu.h>
int f(int x) {
  __ensures("_Res == 4");
  return (int)sizeof(int);
}
