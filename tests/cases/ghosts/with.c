// `__with` gives values to the logical variables of the call before it: by name or by position, in statements of any kind. `k` is in no
// permission, so that nothing else tells its value.
// expect: VERIFIED
// run: clean
// mutate: 'k := n - 1' -> 'k := n + 1' => UNPROVED[OG315] halves(n, a)
// mutate: 'k := n - 1' -> 'k := -1' => UNPROVED[OG315] halves(n, a)
// mutate: 'A := fun i -> 2 * i, ' -> 'A := fun i -> 3 * i, ' => UNPROVED[OG316] halves(n, a)
// mutate: '__with("3");' -> '__with("4");' => UNPROVED[OG315] count(x)
// mutate: '__with("3");' -> '' => UNPROVED[OG331] count(x)
// mutate: '__with("3");' -> '__with("m := 33");' => REJECTED[OG115] 33
// mutate: '__with("3");' -> '__with("n := 3, n := 33");' => REJECTED[OG115] 33
// mutate: '__with("3");' -> 'x = 0; __with("3");' => REJECTED[OG115] __with("3")
// mutate: '__with("3");' -> '__with("0.5f");' => REJECTED[OG102] 0.5f

void halves(int n, int a[n]) {
  __requires("A: int -> int, k: int, h: 0 <= k && k < n");
  __preserves("a ~> Matrix1(n, A)");
}

int count(int x) {
  __requires("n: int, at_most: n * x <= 100, enough: n >= 3 && n != 4");
  __ensures("_Res == x");
  return x;
}

int f(int n, int a[n]) {
  __requires("n >= 1, n <= 1000");
  __writes("a ~> Matrix1(n, fun i -> 2 * i)");
  __ensures("_Res == 20");
  for (int i = 0; i < n; i++) {
    a[i] = 2 * i;
  }
  halves(n, a);
  __with("A := fun i -> 2 * i, k := n - 1");
  int x = 20;
  const int y = count(x);
  __with("3");
  return y;
}
