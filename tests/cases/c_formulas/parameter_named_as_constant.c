// A parameter is not the logical constant of its name.
// expect: VERIFIED
// assumptions: 1
// mutate: 'int x) { __ensures("x == c ==> _Res == 5"); return x' -> 'int c) { __ensures("_Res == 5"); return c'
//   => UNSUPPORTED[OG300] int c

#include <optigpu.h>
__DECL(c, "int");
__AXIOM(c_is_5, "c == 5");
int f(int x) { __ensures("x == c ==> _Res == 5"); return x; }
