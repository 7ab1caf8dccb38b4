// A matrix passed to a function keeps its row length.
// expect: VERIFIED
// mutate: "diagonal(n, n, a)" -> "diagonal(n, n + 1, a)" => REFUTED[OG317] diagonal(n, n + 1, a);
// mutate: "m[i][i] = 1.0f" -> "m[0][i] = 1.0f" => REFUTED[OG302] m[0][i] = 1.0f;

void diagonal(int n, int w, float m[n][w]) {
  __requires("n <= w");
  __writes("for i in 0..n -> &m[i][i] ~~> 1");
  for (int i = 0; i < n; i++) {
    m[i][i] = 1.0f;
  }
}
void layout(int n, float a[n][n]) {
  __consumes("a ~> Cells2(n, n)");
  __produces("a ~> Cells2(n, n)");
  diagonal(n, n, a);
}
