// A magic loop inside of a thread: the thread waits for its iterations by a magic barrier, too.
// expect: VERIFIED
// run: clean
// mutate: "magic_barrier(); // written" -> ";" => REFUTED[OG341] a[t][0] + a[t][7]
//   run: OG210 a[t][0] + a[t][7]
// mutate: "magic_barrier(); // read" -> ";" => REFUTED[OG342] a[t][0] = 9.0f;
//   run: OG210 a[t][0] = 9.0f;

void f(float a[4][8], float b[4], float c[4][8]) {
  __writes("a ~> Matrix2(4, 8, fun t j -> j == 0 ? 9 : t + j)");
  __writes("b ~> Matrix1(4, fun t -> t + t + 7)");
  __writes("c ~> Matrix2(4, 8, fun t j -> t)");
  kernel_launch(1, 4, 0);
  kernel_setup_end();
  thread for (int t = 0; t < 4; t++) {
    magic thread for (int j = 0; j < 8; j++) a[t][j] = t + j;
    magic_barrier(); // written
    b[t] = a[t][0] + a[t][7];
    for (int k = 0; k < 2; k++) {
      magic thread for (int j = 0; j < 4; j++) c[t][4 * k + j] = a[t][0];
    }
    magic_barrier(); // read
    a[t][0] = 9.0f;
  }
  kernel_teardown_begin();
  kernel_kill();
}
