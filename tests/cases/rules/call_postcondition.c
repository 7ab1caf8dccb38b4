// Call rule: a call gives the postcondition of the called function, and no more.
// expect: VERIFIED
// mutate: "A(i) + 2 * B(i)" -> "A(i) + B(i)" => REFUTED[OG305] a ~> Matrix1(n, fun i -> A(i) + B(i))
// mutate: "add_to(n, a, b);\n}" -> "add_to(n, b, a);\n}" => REFUTED[OG316] add_to(n, b, a);
// mutate: "add_to(n, a, b);\n}" -> "add_to(n - 1, a, b);\n}" => REFUTED[OG315] add_to(n - 1, a, b);
// mutate: "x[i] += y[i]" -> "x[i] = y[i]" => REFUTED[OG305] x ~> Matrix1(k, fun i -> X(i) + Y(i))
// mutate: "fun i -> X(i) + Y(i)" -> "fun i -> X(i) + 2 * Y(i)" => REFUTED[OG305] x ~> Matrix1(k, fun i -> X(i) + 2 * Y(i))

void add_to(int k, float x[k], float y[k]) {
  __requires("X: int -> float, Y: int -> float");
  __consumes("x ~> Matrix1(k, X)");
  __reads("y ~> Matrix1(k, Y)");
  __produces("x ~> Matrix1(k, fun i -> X(i) + Y(i))");
  for (int i = 0; i < k; i++) x[i] += y[i];
}
void f(int n, float a[n], float b[n]) {
  __requires("A: int -> float, B: int -> float");
  __consumes("a ~> Matrix1(n, A)");
  __reads("b ~> Matrix1(n, B)");
  __produces("a ~> Matrix1(n, fun i -> A(i) + 2 * B(i))");
  add_to(n, a, b);
  add_to(n, a, b);
}
