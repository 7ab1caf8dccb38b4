// Rules load and store: a cell is within its array, and written before it is read.
// expect: VERIFIED
// mutate: "s = t[1]" -> "s = t[2]" => REFUTED[OG304] t[2]
// mutate: "s = t[1];" -> ";" => REFUTED[OG304] 2nd s;
// mutate: "t[1] = a[0]" -> "t[4] = a[0]" => REFUTED[OG302] t[4] = a[0];
// mutate: "float t[4]" -> "float t[1]" => REFUTED[OG302] t[1] = a[0];

float f(int n, float a[n]) {
  __requires("A: int -> float, n > 0");
  __reads("a ~> Matrix1(n, A)");
  __ensures("_Res == A(0)");
  float t[4];
  t[1] = a[0];
  float s;
  s = t[1];
  return s;
}
