// A product of bfloat16 matrices, summed in floats, plus what is in a half matrix.
// expect: VERIFIED
// run: clean
// also: annotated, replay
// mutate: "k < p" -> "k < p - 1" => REFUTED[OG305] d ~> Matrix2(n, m, fun i j -> C(i, j) + Sum(k in 0..p, A(i, k) * B(k, j)))
// mutate: "= sum;" -> "= 1.02f * sum;" => REFUTED[OG305] d ~> Matrix2(n, m, fun i j -> C(i, j) + Sum(k in 0..p, A(i, k) * B(k, j)))
// mutate: "sum = c[i][j]" -> "sum = 0.0f"
//   => REFUTED[OG305] d ~> Matrix2(n, m, fun i j -> C(i, j) + Sum(k in 0..p, A(i, k) * B(k, j)))
// mutate: "b[k][j]" -> "b[j][k]" => REFUTED[OG302] b[j][k]

#include <optigpu.h>
void product(int n, int m, int p, bf16 a[n][p], bf16 b[p][m], half c[n][m], float d[n][m]) {
  __requires("A: int * int -> float, B: int * int -> float, C: int * int -> float");
  __reads("a ~> Matrix2(n, p, A), b ~> Matrix2(p, m, B), c ~> Matrix2(n, m, C)");
  __writes("d ~> Matrix2(n, m, fun i j -> C(i, j) + Sum(k in 0..p, A(i, k) * B(k, j)))");
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) {
      float sum = c[i][j];
      for (int k = 0; k < p; k++) sum += a[i][k] * b[k][j];
      d[i][j] = sum;
    }
  }
}
