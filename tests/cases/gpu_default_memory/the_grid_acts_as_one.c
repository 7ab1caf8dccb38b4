// Sequential code in a launch, on default memory: the whole grid executes it, and each store happens once.
// expect: VERIFIED
// run: clean
// mutate: "kernel_launch(2, 4, 0)" -> "kernel_launch(n, 4, 0)" => REFUTED[OG346] total = 0.0f;
//   run: OG202 2nd total;
// mutate: "i < n" -> "i <= n" => REFUTED[OG302] b[i] = 2.0f * a[i];
//   run: OG201 a[i];
// mutate: "total += b[i]" -> "total += a[i]" => REFUTED[OG307] _Res =. Sum(i in 0..n, 2 * A(i))
//   run: OG212 _Res =. Sum(i in 0..n, 2 * A(i))
// mutate: "  kernel_kill();\n" -> "  total = 1.0f;\n  kernel_kill();\n" => REFUTED[OG348] total = 1.0f;

float f(int n, float a[n], float b[n]) {
  __requires("A: int -> float, n_pos: n >= 0");
  __reads("a ~> Matrix1(n, A)");
  __writes("b ~> Matrix1(n, fun i -> 2 * A(i))");
  __ensures("_Res =. Sum(i in 0..n, 2 * A(i))");
  float total;
  kernel_launch(2, 4, 0);
  kernel_setup_end();
  total = 0.0f;
  for (int i = 0; i < n; i++) {
    b[i] = 2.0f * a[i];
    total += b[i];
  }
  kernel_teardown_begin();
  kernel_kill();
  return total;
}
