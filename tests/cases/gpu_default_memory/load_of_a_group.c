// A group loads default memory as one, before everything that its threads do afterwards.
// expect: VERIFIED
// run: clean
// mutate: "const float x = a[0];" -> "thread for (int t = 0; t < 4; t++) out[t] = a[0];\n const float x = 0.0f;"
//   => REFUTED[OG342] a[t] = x + 1.0f;
//   run: OG210 a[t]
// mutate: "const float x = a[0];" -> "magic thread for (int t = 0; t < 4; t++) out[t] = a[0];\n const float x = 0.0f;"
//   => REFUTED[OG342] a[t] = x + 1.0f;
//   run: OG210 a[t]

void f(float a[4], float out[4]) {
  __requires("A: int -> float");
  __consumes("a ~> Matrix1(4, A)");
  __produces("a ~> Matrix1(4, fun i -> A(0) + 1)");
  __writes("out ~> Matrix1(4, fun i -> A(0) + 1)");
  kernel_launch(1, 4, 0);
  kernel_setup_end();
  const float x = a[0];
  thread for (int t = 0; t < 4; t++) a[t] = x + 1.0f;
  magic_barrier();
  for (int i = 0; i < 4; i++) out[i] = a[i];
  kernel_teardown_begin();
  kernel_kill();
}
