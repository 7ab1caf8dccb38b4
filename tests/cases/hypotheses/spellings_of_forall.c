// Ranges of a forall end in a comma or an arrow; hypotheses are written with ->, => or ==>.
// expect: VERIFIED
// mutate: "forall k in 0..n, B(k) == 0" -> "forall k in 0..n - 1, B(k) == 0" => UNPROVED[OG321] B(x) == 0
// mutate: "i in 0..n, k in 0..n -> C(i, k)" -> "i in 0..n, k in 1..i -> C(i, k)" => UNPROVED[OG321] C(0, x) == C(x, 0)
// mutate: "0 <= k -> k < n -> D(k)" -> "0 <= k -> k < x -> D(k)" => REFUTED[OG321] D(x) == 2
// mutate: "n > 8\");" -> "n >= 8\");" => UNPROVED[OG321] n != 8

void spellings(int n, int x) {
  __requires("B: int -> int, C: int * int -> int, D: int -> int");
  __requires("forall k in 0..n, B(k) == 0, forall i in 0..n, k in 0..n -> C(i, k) == C(k, i)");
  __requires("forall k, 0 <= k -> k < n -> D(k) == 2, n > 7 => n > 8");
  __requires("0 <= x, x < n");
  __ASSERT("B(x) == 0");
  __ASSERT("C(0, x) == C(x, 0)");
  __ASSERT("D(x) == 2");
  __ASSERT("n != 8");
}
