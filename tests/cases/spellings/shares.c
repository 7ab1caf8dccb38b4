// `_RO(f, H)` is a share of H for reading, with a name for its fraction. What takes and gives back such a share reads H.
// expect: VERIFIED
// also: annotated, replay
// run: clean
// function: sum
// mutate: 'return a[0]' -> 'a[0] = 1.0f; return a[0]' => REFUTED[OG303] a[0] = 1.0f;
// mutate: 'for i in 0..n -> _RO(f, &a[i] ~~> A(i))");\n  __ens' -> 'for i in 0..n -> _RO(f, &a[i] ~~> A(i) + 1)");\n  __ens' => REJECTED[OG109] for i in 0..n -> _RO(f, &a[i] ~~> A(i) + 1)
// mutate: '__requires("f: _Fraction, A: int -> float, n >= 1");\n  __consumes' -> '__requires("A: int -> float, n >= 1");\n  __consumes' => REJECTED[OG100] 1st f, &a[i] ~~> A(i))");
// mutate: '__preserves("_RO(g' -> '__produces("_RO(g' => REJECTED[OG109] _RO(g / 2, a ~> Matrix1(n, A))
// mutate: '__preserves("_RO(g' -> '__writes("_RO(g' => REJECTED[OG109] _RO(g / 2, a ~> Matrix1(n, A))
// mutate: '_RO(g / 2, a ~> Matrix1(n, A))' -> '_RO(g / 2, a ~> Matrix1(n, A)) * (b ~> Cells1(n))' => REJECTED[OG109] _RO(g / 2, a ~> Matrix1(n, A)) * (b ~> Cells1(n)
// mutate: '_RO(g / 2, a ~> Matrix1(n, A))' -> '_RO(1, a ~> Matrix1(n, A))' => REJECTED[OG109] 1, a ~> Matrix1(n, A))");
// mutate: '_RO(g / 2, a ~> Matrix1(n, A))' -> '_RO(g, _RO(g, a ~> Matrix1(n, A)))' => REJECTED[OG109] _RO(g, _RO(g, a ~> Matrix1(n, A)))
// mutate: '    __xconsumes("_RO(g, &a[i] ~~> A(i))");' -> '    __xconsumes("_RO(g, &a[i] ~~> A(i) + 1)");' => REFUTED[OG322] _RO(g, &a[i] ~~> A(i) + 1)
// mutate: 's += a[i];' -> 's += a[i]; a[i] = 0.0f;' => REFUTED[OG303] a[i] = 0.0f;

#include <optigpu.h>

float first(int n, float a[n]) {
  __requires("f: _Fraction, A: int -> float, n >= 1");
  __consumes("for i in 0..n -> _RO(f, &a[i] ~~> A(i))");
  __produces("for i in 0..n -> _RO(f, &a[i] ~~> A(i))");
  __ensures("_Res =. A(0)");
  return a[0];
}

float sum(int n, float a[n]) {
  __requires("g: _Fraction, A: int -> float, n >= 1");
  __preserves("_RO(g / 2, a ~> Matrix1(n, A))");
  __ensures("_Res =. Sum(i in 0..n, A(i)) + A(0)");
  float s = 0.0f;
  for (int i = 0; i < n; i++) {
    __xconsumes("_RO(g, &a[i] ~~> A(i))");
    s += a[i];
  }
  const float x = first(n, a);
  return s + x;
}
