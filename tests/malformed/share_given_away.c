void f(int n, float a[n]) {
  __requires("g: _Fraction");
  __consumes("a ~> Cells1(n)");
  __produces("_RO(g, a ~> Cells1(n))");
}
