// The sum of an array in one accumulator.
// expect: VERIFIED
// mutate: "float s = 0.0f" -> "float s = 1.0f" => REFUTED[OG307] _Res == Sum(i in 0..n, A(i))
// mutate: "float s = 0.0f" -> "float s" => REFUTED[OG304] s += a[i];
// mutate: "s += a[i]" -> "s -= a[i]" => REFUTED[OG307] _Res == Sum(i in 0..n, A(i))
// mutate: "s += a[i]" -> "s = a[i]" => REFUTED[OG307] _Res == Sum(i in 0..n, A(i))
// mutate: "Sum(i in 0..n, A(i))" -> "Sum(i in 0..n + 1, A(i))" => UNPROVED[OG361] A(i)
// mutate: "Sum(i in 0..n, A(i))" -> "Sum(i in 1..n, A(i))" => REFUTED[OG307] _Res == Sum(i in 1..n, A(i))
// mutate: "Sum(i in 0..n, A(i))" -> "Prod(i in 0..n, A(i))" => REFUTED[OG307] _Res == Prod(i in 0..n, A(i))
// mutate: "int i = 0" -> "int i = 1" => REFUTED[OG307] _Res == Sum(i in 0..n, A(i))
// mutate: "  for" -> "  #pragma omp parallel for\n  for" => REFUTED[OG324] s += a[i];
// mutate: "  for" -> "  #pragma omp simd\n  for" => REFUTED[OG324] s += a[i];
// mutate: "Sum(i in 0..n, A(i))" -> "Sum(i in 0..n - 1, A(i))" => REFUTED[OG307] _Res == Sum(i in 0..n - 1, A(i))

float sum(int n, float a[n]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __ensures("_Res == Sum(i in 0..n, A(i))");
  float s = 0.0f;
  for (int i = 0; i < n; i++) {
    s += a[i];
  }
  return s;
}
