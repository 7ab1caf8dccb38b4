// Magic loops inside of magic loops: a magic barrier in an iteration orders the loops of that iteration.
// expect: VERIFIED
// run: clean
// also: annotated
// mutate: "magic_barrier(); // row" -> ";" => REFUTED[OG341] a[i][m - 1 - j]
//   run: OG210 a[i][m - 1 - j]
// mutate: "b[i][j] = a[i][m - 1 - j]" -> "b[i][j] = a[n - 1 - i][m - 1 - j]" => REFUTED[OG340] a[i][j] = i + j;
//   run: OG202 a[n - 1 - i][m - 1 - j]
// mutate: "magic_barrier(); // all" -> ";" => REFUTED[OG341] b[i][0] + x[0]
//   run: OG210 b[i][0]
// mutate: "float acc = 0.0f;" -> "blocksync(); float acc = 0.0f;" => REFUTED[OG345] blocksync();
//   run: OG221 blocksync()
// mutate: "magic thread for (int j = 0; j < m; j++) b" -> "thread for (int j = 0; j < m; j++) b"
//   => REFUTED[OG350] 2nd thread for (int j = 0; j < m; j++)
//   run: OG226 2nd thread for (int j = 0; j < m; j++)

void f(int n, int m, float a[n][m], float b[n][m], float x[1]) {
  __requires("n_pos: n >= 0, m_pos: m > 0");
  __writes("a ~> Matrix2(n, m, fun i j -> i + j)");
  __writes("b ~> Matrix2(n, m, fun i j -> i + (m - 1 - j))");
  __writes("x ~> Matrix1(1, fun q -> Sum(i in 0..n, i + (m - 1)))");
  kernel_launch(1, 4, 0);
  kernel_setup_end();
  magic thread for (int i = 0; i < n; i++) {
    magic thread for (int j = 0; j < m; j++) a[i][j] = i + j;
    magic_barrier(); // row
    float acc = 0.0f;
    acc = acc + 1.0f;
    magic thread for (int j = 0; j < m; j++) b[i][j] = a[i][m - 1 - j] + acc - 1.0f;
  }
  magic_barrier(); // all
  x[0] = 0.0f;
  for (int i = 0; i < n; i++) x[0] = b[i][0] + x[0];
  kernel_teardown_begin();
  kernel_kill();
}
