// Instances of a hypothesis that the search does not find by itself: each assertion, or ghost with the hypothesis and its values,
// states one, and gives the terms for the next.
// expect: VERIFIED
// also: replay
// mutate: "  __ASSERT(\"F(2) == F(1) + F(1)\");\n" -> "", "  __ghost(assert_prop, \"proof := add(2, 2)\");\n" -> "" => UNPROVED[OG321] F(32) == 32 * F(1)
// mutate: "F(32) == 32 * F(1)" -> "F(32) == 31 * F(1)" => UNPROVED[OG321] F(32) == 31 * F(1)
// mutate: "even(n)" -> "even(n + 1)" => UNPROVED[OG322] __ghost(assert_prop, "proof := even(n + 1)", "h <- proof")

void powers(int n) {
  __requires("F: int -> int, G: int -> int, n > 5");
  __requires("add: forall (i: int) (j: int), F(i + j) == F(i) + F(j)");
  __requires("even: forall k in 0..n + 1, G(2 * k) == 0");
  __ASSERT("F(2) == F(1) + F(1)");
  __ghost(assert_prop, "proof := add(2, 2)");
  __ASSERT("F(8) == F(4) + F(4)");
  __ASSERT("F(16) == F(8) + F(8)");
  __ASSERT("F(32) == 32 * F(1)");
  __ASSERT("G(10) == 0");
  __ghost(assert_prop, "proof := even(n)", "h <- proof");
  __ASSERT("G(2 * n) + 1 == 1");
}
