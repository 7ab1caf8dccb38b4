// Magic thread loops in a kernel: independent iterations, which a magic barrier of the group orders before what follows.
// expect: VERIFIED
// run: clean
// also: annotated, replay
// mutate: "magic_barrier(); // written" -> ";" => REFUTED[OG341] t[n - 1 - i]
//   run: OG210 t[n - 1 - i]
//   also: schedules
// mutate: "magic_barrier(); // written" -> "if (n > 0) t[0] = 1.0f;" => REFUTED[OG341] t[0] = 1.0f;
//   run: OG210 t[0] = 1.0f;
// mutate: "magic_barrier(); // read" -> ";" => REFUTED[OG358] free(t);
//   run: OG210 free(t)
// mutate: "t[i] = 2.0f * a[i]" -> "t[0] = 2.0f * a[i]" => REFUTED[OG340] t[0] = 2.0f * a[i];
//   run: OG210 t[0]
// mutate: "free(t);" -> ";" => REFUTED[OG308] float* const t = MALLOC1(float, n)
//   run: OG205 float* const t = MALLOC1(float, n)
// mutate: "free(t);" -> "free(t); free(t);" => REFUTED[OG309] 2nd free(t);
//   run: OG204 2nd free(t)
// mutate: "magic_barrier(); // written" -> "blocksync();" => REFUTED[OG345] blocksync();
//   run: OG221 blocksync()

void f(int n, float a[n], float b[n]) {
  __requires("A: int -> float, n_pos: n >= 0");
  __reads("a ~> Matrix1(n, A)");
  __writes("b ~> Matrix1(n, fun i -> 2 * A(n - 1 - i))");
  kernel_launch(2, 32, 0);
  kernel_setup_end();
  float* const t = MALLOC1(float, n);
  magic thread for (int i = 0; i < n; i++) t[i] = 2.0f * a[i];
  magic_barrier(); // written
  magic thread for (int i = 0; i < n; i++) b[i] = t[n - 1 - i];
  magic_barrier(); // read
  free(t);
  kernel_teardown_begin();
  kernel_kill();
}
