void f(int n, float a[n], float b[n]) {
  __writes("a ~> Cells1(n)");
  __reads("b ~> Cells1(n)");
  for (int i = 0; i < n; i++) {
    __strict();
    __xwrites("&a[i] ~> Cell");
    a[i] = b[i];
  }
}
