// A fact about all i that holds under a condition, and has another quantifier and two facts inside.
// expect: VERIFIED
// mutate: "0 < m ==> (" -> "1 < m ==> (" => REFUTED[OG321] A(x, y) <= n
// mutate: "y <= x, 0 < m" -> "y <= x + 1, 0 < m" => UNPROVED[OG321] A(x, y) <= n
// mutate: "A(i, k) <= n" -> "A(i, k) <= n + 1" => UNPROVED[OG321] A(x, y) <= n

void conditional(int n, int m, int x, int y) {
  __requires("A: int * int -> int, B: int -> int");
  __requires("0 < m ==> (forall i in 0..n -> B(i) > 0 && (forall k in 0..i + 1 -> A(i, k) <= n))");
  __requires("0 <= x, x < n, 0 <= y, y <= x, 0 < m");
  __ASSERT("A(x, y) <= n");
  __ASSERT("B(y) > 0");
}
