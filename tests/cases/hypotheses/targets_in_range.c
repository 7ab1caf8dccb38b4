// Cross entropy: targets that are classes make x[b][t[b]] an access within bounds, and the sum of exponentials positive.
// expect: VERIFIED
// mutate: "0 <= T(b) && T(b) < C" -> "T(b) < C" => UNPROVED[OG361] logf(Sum(c in 0..C, expf(X(b, c))))
// mutate: "0 <= T(b) && T(b) < C" -> "0 <= T(b) && T(b) <= C" => UNPROVED[OG361] logf(Sum(c in 0..C, expf(X(b, c))))
// mutate: "forall b in 0..B" -> "forall b in 1..B" => UNPROVED[OG361] logf(Sum(c in 0..C, expf(X(b, c))))

void xent(int B, int C, float x[B][C], int t[B], float y[B]) {
  __requires("X: int * int -> float, T: int -> int");
  __requires("forall b in 0..B -> 0 <= T(b) && T(b) < C");
  __reads("x ~> Matrix2(B, C, X), t ~> Matrix1(B, T)");
  __writes("y ~> Matrix1(B, fun b -> logf(Sum(c in 0..C, expf(X(b, c)))) - X(b, T(b)))");
  for (int b = 0; b < B; b++) {
    float s = 0;
    for (int c = 0; c < C; c++) s += expf(x[b][c]);
    y[b] = logf(s) - x[b][t[b]];
  }
}
