// A function called on each row of a matrix.
// expect: VERIFIED
// mutate: "zero(w, a[i])" -> "zero(h, a[i])" => REFUTED[OG302] zero(h, a[i]);
// mutate: "zero(w, a[i])" -> "zero(w, a[0])" => REFUTED[OG306] a ~> Matrix2(h, w, fun i j -> 0)
// mutate: "zero(w, a[i])" -> "zero(w, &a[i][1])" => REFUTED[OG302] zero(w, &a[i][1]);
// mutate: "i < h" -> "i <= h" => REFUTED[OG302] zero(w, a[i]);

void zero(int n, float row[n]) {
  __writes("row ~> Matrix1(n, fun j -> 0)");
  for (int j = 0; j < n; j++) {
    row[j] = 0.0f;
  }
}
void rows(int h, int w, float a[h][w]) {
  __writes("a ~> Matrix2(h, w, fun i j -> 0)");
  for (int i = 0; i < h; i++) {
    zero(w, a[i]);
  }
}
