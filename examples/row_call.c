#include <optigpu.h>

// the sum of a row
float row_sum(int n, float row[n]) {
  __requires("R: int -> float");
  __reads("row ~> Matrix1(n, R)");
  __ensures("_Res == Sum(j in 0..n, R(j))");
  float total = 0.0f;
  for (int j = 0; j < n; j++) {
    total += row[j];
  }
  return total;
}

// scales a row in place
void scale_row(int n, float s, float row[n]) {
  __requires("R: int -> float");
  __consumes("row ~> Matrix1(n, R)");
  __produces("row ~> Matrix1(n, fun j -> s * R(j))");
  for (int j = 0; j < n; j++) {
    row[j] = s * row[j];
  }
}

// each element times the sum of its row
void row_call(int h, int w, float a[h][w]) {
  __requires("A: int * int -> float");
  __consumes("a ~> Matrix2(h, w, A)");
  __produces("a ~> Matrix2(h, w, fun i j -> Sum(k in 0..w, A(i, k)) * A(i, j))");
  for (int i = 0; i < h; i++) {
    const float s = row_sum(w, a[i]);
    scale_row(w, s, a[i]);
  }
}
