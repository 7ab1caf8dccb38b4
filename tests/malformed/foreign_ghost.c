void f(int n, float a[n]) {
  __preserves("a ~> Cells1(n)");
  __ghost(hide, "H := a ~> Cells1(n)");
}
