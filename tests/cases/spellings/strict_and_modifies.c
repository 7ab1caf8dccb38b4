// `__strict()`: the contract of a loop names all memory that its body uses. `__modifies` and its loop forms are `__preserves`.
// expect: VERIFIED
// run: clean
// mutate: '    __xreads("&b[i] ~~> B(i)");\n' -> '' => REJECTED[OG110] __strict()
// mutate: '    __smodifies("&s ~~> Sum(k in 0..i, B(k))");\n' -> '' => REJECTED[OG110] __strict()
// mutate: '    __strict();\n' -> '' => VERIFIED
// mutate: '    __strict();\n    __xmod' -> '    __xmod', '    __xreads("&b[i] ~~> B(i)");\n' -> '' => VERIFIED
// mutate: '  __modifies("a ~> Cells1(n)");' -> '  __modifies("a ~> Matrix1(n, B)");' => REFUTED[OG305] a ~> Matrix1(n, B)
// mutate: '  __modifies("a' -> '  __strict();\n  __modifies("a' => REJECTED[OG013] 1st __strict();
// mutate: '__strict();' -> '__strict("a");' => REJECTED[OG008] __strict("a")

#include <optigpu.h>

float f(int n, float a[n], float b[n]) {
  __requires("B: int -> float");
  __modifies("a ~> Cells1(n)");
  __reads("b ~> Matrix1(n, B)");
  __ensures("_Res =. Sum(k in 0..n, B(k))");
  float s = 0.0f;
  for (int i = 0; i < n; i++) {
    __strict();
    __xmodifies("&a[i] ~> Cell");
    __xreads("&b[i] ~~> B(i)");
    __smodifies("&s ~~> Sum(k in 0..i, B(k))");
    a[i] = a[i] + 2.0f * b[i];
    s += b[i];
  }
  return s;
}
