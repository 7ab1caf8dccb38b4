void f(int n, float a[n]) {
  __writes("a ~> Cells1(n)");
  __threadfor;
  for (int i = 0; i < n; i++) {
    a[i] = 0.0f;
  }
}
