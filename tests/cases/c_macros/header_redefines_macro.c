// A header that is included later redefines a macro.
// expect: VERIFIED
// mutate: "FAILURE 5\n" -> "FAILURE 5\n#include <stdlib.h>\n" => REJECTED[OG007] #define EXIT_FAILURE 5

#include <optigpu.h>
#define EXIT_FAILURE 5
int f() {
  __ensures("_Res == 5");
  return EXIT_FAILURE;
}
