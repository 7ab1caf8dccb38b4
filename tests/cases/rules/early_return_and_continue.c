// An early return and a continue end their path, and no other.
// expect: VERIFIED
// mutate: "if (n <= 3) return;" -> "if (n <= 4) return;"
//   => REFUTED[OG305] a ~> Matrix1(n, fun i -> n <= 3 ? A(i) : i < 2 ? A(i) : 0)
// mutate: "if (i < 2) continue;" -> "if (i < 1) continue;"
//   => REFUTED[OG305] a ~> Matrix1(n, fun i -> n <= 3 ? A(i) : i < 2 ? A(i) : 0)
// mutate: "if (i < 2) continue;" -> "if (i <= 2) continue;"
//   => REFUTED[OG305] a ~> Matrix1(n, fun i -> n <= 3 ? A(i) : i < 2 ? A(i) : 0)
// mutate: "if (n <= 3) return;" -> "" => REFUTED[OG305] a ~> Matrix1(n, fun i -> n <= 3 ? A(i) : i < 2 ? A(i) : 0)

void f(int n, float a[n]) {
  __requires("A: int -> float");
  __consumes("a ~> Matrix1(n, A)");
  __produces("a ~> Matrix1(n, fun i -> n <= 3 ? A(i) : i < 2 ? A(i) : 0)");
  if (n <= 3) return;
  for (int i = 0; i < n; i++) { if (i < 2) continue; a[i] = 0.0f; }
}
