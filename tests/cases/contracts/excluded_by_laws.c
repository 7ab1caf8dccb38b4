// A precondition that no input satisfies by the laws of exponentials, roots, squares, sums and indices of maxima is an error: proofs use these
// laws, so that anything that is a product with such a number would follow.
// expect: VERIFIED
// mutate: "exp(x) > 0" -> "exp(x) < 0", "_Res == x" -> "y * exp(x) > 7 * exp(x)" => UNPROVED[OG360] exp(x) < 0
// mutate: "exp(x) > 0" -> "exp(x) == 0" => UNPROVED[OG360] exp(x) == 0
// mutate: "exp(x) > 0" -> "x * x + y * y < 2 * x * y" => UNPROVED[OG360] x * x + y * y < 2 * x * y
// mutate: "exp(x) > 0" -> "x * x + y * y > 2 * x * y" => VERIFIED
// mutate: "exp(x) > 0" -> "x > 0 && sqrt(x) < 0" => UNPROVED[OG360] x > 0 && sqrt(x) < 0
// mutate: "exp(x) > 0" -> "tanh(x) > 1" => UNPROVED[OG360] tanh(x) > 1
// mutate: "exp(x) > 0" -> "tanh(x) > 0" => VERIFIED
// mutate: "exp(x) > 0" -> "Sum(k in 0..n, exp(k * x)) < 0" => UNPROVED[OG360] Sum(k in 0..n, exp(k * x)) < 0
// mutate: "exp(x) > 0" -> "ArgMax(k in 0..n, k * x) > n" => UNPROVED[OG360] ArgMax(k in 0..n, k * x) > n

float kept(int n, float x, float y) {
  __requires("n > 1");
  __requires("exp(x) > 0");
  __ensures("_Res == x");
  return x;
}
