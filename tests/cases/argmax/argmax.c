// The first index of the greatest element, in one pass.
// expect: VERIFIED
// mutate: "a[i] > best" -> "a[i] >= best" => REFUTED[OG307] _Res == ArgMax(i in 0..n, A(i))
// mutate: "a[i] > best" -> "a[i] < best" => REFUTED[OG307] _Res == ArgMax(i in 0..n, A(i))
// mutate: "ArgMax" -> "ArgMin" => REFUTED[OG307] _Res == ArgMin(i in 0..n, A(i))
// mutate: "a[i] > best" -> "a[i] < best", "ArgMax" -> "ArgMin" => VERIFIED
// mutate: "int index = 0" -> "int index = 1" => REFUTED[OG307] _Res == ArgMax(i in 0..n, A(i))
// mutate: "best = a[0]" -> "best = 0.0f" => REFUTED[OG307] _Res == ArgMax(i in 0..n, A(i))
// mutate: "int i = 1" -> "int i = 2" => REFUTED[OG307] _Res == ArgMax(i in 0..n, A(i))
// mutate: "int i = 1" -> "int i = 0" => VERIFIED
// mutate: "ArgMax(i in 0..n" -> "ArgMax(i in 0..n - 1" => UNPROVED[OG361] 0..n - 1
// mutate: "ArgMax(i in 0..n" -> "1 + ArgMax(i in 0..n" => REFUTED[OG307] _Res == 1 + ArgMax(i in 0..n, A(i))
// mutate: "ArgMax(i in 0..n" -> "ArgMax(i in 0..n, j in 0..n" => REJECTED[OG110] ArgMax(i in 0..n, j in 0..n, A(i))
// mutate: "ArgMax(i in 0..n" -> "ArgMax(i in range(0, n, 2)" => REJECTED[OG110] ArgMax(i in range(0, n, 2), A(i))
// also: replay
// run: clean

int argmax(int n, float a[n]) {
  __requires("A: int -> float, some: n > 0");
  __reads("a ~> Matrix1(n, A)");
  __ensures("_Res == ArgMax(i in 0..n, A(i))");
  float best = a[0];
  int index = 0;
  for (int i = 1; i < n; i++) {
    if (a[i] > best) {
      best = a[i];
      index = i;
    }
  }
  return index;
}
