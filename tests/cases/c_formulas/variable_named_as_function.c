// A logical variable of a contract is not the logical function of its name.
// expect: VERIFIED
// assumptions: 1
// mutate: "  __reads" -> '  __requires("g: int -> float");\n  __reads' => REFUTED[OG307] _Res == 0.0f

#include <optigpu.h>
__DECL(g, "int -> float");
__AXIOM(g_is_0, "forall (i: int) -> g(i) == 0.0f");
float f(float a[4]) {
  __reads("for i in 0..4 -> &a[i] ~~> g(i)");
  __ensures("_Res == 0.0f");
  return a[1];
}
