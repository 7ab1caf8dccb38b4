// `range(a, b, s)`: a, a + s, a + 2 * s, … below b; in groups, big operators, `forall` and `in_range`.
// expect: VERIFIED
// also: annotated, replay
// run: clean
// function: odd
// mutate: 'for i in range(1, n, 2) -> &a[i] ~~> 1");\n  for' -> 'for i in range(1, n, 2) -> &a[i] ~~> 2");\n  for' => REFUTED[OG305] for i in range(1, n, 2) -> &a[i] ~~> 2
// mutate: 'consumes("for i in range(1, n, 2)' -> 'consumes("for i in range(1, n, 3)' => REFUTED[OG302] 1st a[i] = 1.0f;
// mutate: 'produces("for i in range(1, n, 2)' -> 'produces("for i in range(1, n - 2, 2)' => REFUTED[OG308] for i in range(1, n - 2, 2) -> &a[i] ~~> 1
// mutate: 'a[i + 2] = 1.0f' -> 'a[i + 1] = 1.0f' => REFUTED[OG302] a[i + 1] = 1.0f;
// mutate: '== 2 * i + 2' -> '== 2 * i + 1' => REFUTED[OG307] Sum(i in range(i, i + 3, 2), i) == 2 * i + 1
// mutate: 'i += 2' -> 'i += 1' => REFUTED[OG302] 1st a[i] = 1.0f;
// mutate: 'Sum(k in range(0, n, 2), A(k))' -> 'Sum(k in range(0, n, 3), A(k))' => REFUTED[OG307] _Res =. Sum(k in range(0, n, 3), A(k))
// mutate: 'in_range(_Res, range(3, 100, 4))' -> 'in_range(_Res, range(2, 100, 4))' => REFUTED[OG307] in_range(_Res, range(2, 100, 4))
// mutate: 'in_range(_Res, range(3, 100, 4))' -> 'in_range(_Res, range(3, 7, 4))' => REFUTED[OG307] in_range(_Res, range(3, 7, 4))
// mutate: 'range(3, 100, 4)' -> 'range(3, 100, 0)' => REJECTED[OG110] 0))");
// mutate: 'range(3, 100, 4)' -> 'range(3, 100)' => REJECTED[OG102] range(3, 100)

#include <optigpu.h>

int seven() {
  __ensures("in_range(_Res, range(3, 100, 4))");
  return 7;
}

float even(int n, float a[n]) {
  __requires("A: int -> float, n >= 0, n % 2 == 0");
  __reads("a ~> Matrix1(n, A)");
  __ensures("_Res =. Sum(k in range(0, n, 2), A(k))");
  float s = 0.0f;
  for (int i = 0; i < n / 2; i++) {
    s += a[2 * i];
  }
  return s;
}

void odd(int n, float a[n]) {
  __requires("n >= 4, n <= 1000");
  __consumes("for i in range(1, n, 2) -> &a[i] ~> UninitCell");
  __produces("for i in range(1, n, 2) -> &a[i] ~~> 1");
  for (int i = 1; i < n; i += 2) {
    a[i] = 1.0f;
  }
}

// The first value of a range is a variable that the index of the group hides.
void from_index(int i, int n, float a[n]) {
  __requires("0 <= i, i + 3 <= n, n <= 1000");
  __consumes("for i in range(i, i + 3, 2) -> &a[i] ~> UninitCell");
  __produces("for i in range(i, i + 3, 2) -> &a[i] ~~> 1");
  __ensures("Sum(i in range(i, i + 3, 2), i) == 2 * i + 2");
  a[i] = 1.0f;
  a[i + 2] = 1.0f;
}
