// Rule finish: a function gives back what its postcondition says, all of it written.
// expect: VERIFIED
// mutate: "i < n" -> "i < n - 1" => REFUTED[OG306] b ~> Matrix1(n, A)
// mutate: "int i = 0" -> "int i = 1" => REFUTED[OG306] b ~> Matrix1(n, A)
// mutate: '__writes("b ~> Matrix1(n, A)")' -> '__consumes("b ~> UninitMatrix1(n)")' => REFUTED[OG308] a ~> Matrix1(n, A)
// mutate: '__reads("a ~> Matrix1(n, A)")' -> '__consumes("a ~> Matrix1(n, A)")' => REFUTED[OG308] b ~> Matrix1(n, A)
// mutate: "  for (int i" -> "  if (n > 3) return;\n  for (int i" => REFUTED[OG306] b ~> Matrix1(n, A)

void f(int n, float a[n], float b[n]) {
  __requires("A: int -> float, n >= 1");
  __reads("a ~> Matrix1(n, A)");
  __writes("b ~> Matrix1(n, A)");
  for (int i = 0; i < n; i++) b[i] = a[i];
}
