void f(int n, float a[n]) {
  __consumes("Wand(&a[0] ~> Cell, a ~> Cells1(n)), &a[0] ~> Cell");
}
