// A local variable is not the logical constant of its name.
// expect: VERIFIED
// mutate: "_Res == n" -> "_Res == c" => UNPROVED[OG307] _Res == c

#include <optigpu.h>
__DECL(c, "int");
int f(int n) { __ensures("_Res == n"); const int c = n; return c; }
