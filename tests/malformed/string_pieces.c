void f(int n, float a[n]) {
  __preserves("a ~> Cel"
              "ls1(n, "
              "m)");
}
