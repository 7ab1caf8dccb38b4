void f(int n) {
  __requires("n >= 0");
  __PROOF(h, "eq_refl(n)");
}
