void f(int n, float a[n]) {
  __preserves("a ~> Cells1(n)");
  __ghost(group_focus, "i := 0, items := fun i -> &a[i] ~> Cell");
}
