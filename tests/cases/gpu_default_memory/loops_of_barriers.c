// A loop of magic barriers alone orders everything, if it has an iteration: the step between fission and hoisting a barrier.
// expect: VERIFIED
// run: clean
// also: replay
// mutate: "i < n; i++) magic_barrier(); // written" -> "i < n - 1; i++) magic_barrier();" => REFUTED[OG341] t[i][m - 1 - j]
//   run: OG210 t[i][m - 1 - j]
// mutate: "i < n; i++) magic_barrier(); // read" -> "i < n - 1; i++) magic_barrier();" => REFUTED[OG342] t[i][j] = 0.0f;
//   run: OG210 2nd t[i][j]

void f(int n, int m, float a[n][m], float b[n][m]) {
  __requires("A: int * int -> float, n_pos: n >= 0, m_pos: m >= 0");
  __reads("a ~> Matrix2(n, m, A)");
  __writes("b ~> Matrix2(n, m, fun i j -> 2 * A(i, m - 1 - j))");
  kernel_launch(2, 4, 0);
  kernel_setup_end();
  float* const t = MALLOC2(float, n, m);
  for (int i = 0; i < n; i++) {
    magic thread for (int j = 0; j < m; j++) t[i][j] = 2.0f * a[i][j];
  }
  for (int i = 0; i < n; i++) magic_barrier(); // written
  for (int i = 0; i < n; i++) {
    magic thread for (int j = 0; j < m; j++) b[i][j] = t[i][m - 1 - j];
  }
  for (int i = 0; i < n; i++) magic_barrier(); // read
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) t[i][j] = 0.0f;
  }
  magic_barrier();
  free(t);
  kernel_teardown_begin();
  kernel_kill();
}
