// The index of the greatest element is used as an index: it is in the array, whatever comparisons of floats give.
// expect: VERIFIED
// mutate: "index = i;" -> "index = i + 1;" => REFUTED[OG302] b[index]
// mutate: "b[index]" -> "b[index + 1]" => REFUTED[OG302] b[index + 1]
// mutate: "B(ArgMax(i in 0..n, A(i)))" -> "B(0)" => REFUTED[OG305] &x[0] ~~> B(0)

void greatest_at(int n, float a[n], float b[n], float x[1]) {
  __requires("A: int -> float, B: int -> float, some: n > 0");
  __reads("a ~> Matrix1(n, A), b ~> Matrix1(n, B)");
  __writes("&x[0] ~~> B(ArgMax(i in 0..n, A(i)))");
  float best = a[0];
  int index = 0;
  for (int i = 1; i < n; i++) {
    if (a[i] > best) {
      best = a[i];
      index = i;
    }
  }
  x[0] = b[index];
}
