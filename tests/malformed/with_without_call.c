void f(int n, float a[n]) {
  __writes("&a[0] ~~> 1");
  a[0] = 1.0f;
  __with("A := fun i -> 1");
}
