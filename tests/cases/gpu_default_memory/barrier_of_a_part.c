// A magic barrier orders the group that executes it, and nobody else.
// expect: VERIFIED
// run: clean
// mutate: "  magic_barrier(); // grid\n" -> "" => REFUTED[OG341] t[1 - b][j]
//   run: OG210 t[1 - b][j]
//   also: schedules
// mutate: "  magic_barrier(); // grid\n" -> "", "    thread for (int j = 0; j < 4; j++) t[b][j] = a[b][j];\n"
//   -> "    thread for (int j = 0; j < 4; j++) t[b][j] = a[b][j];\n    magic_barrier();\n"
//   => REFUTED[OG341] t[1 - b][j]
//   run: OG210 t[1 - b][j]
// mutate: "  magic_barrier(); // grid\n" -> "", "    thread for (int j = 0; j < 4; j++) t[b][j] = a[b][j];\n"
//   -> "    thread for (int j = 0; j < 4; j++) t[b][j] = a[b][j];\n    magic_barrier();\n", "t[1 - b][j]" -> "t[b][3 - j]",
//   "A(1 - b, j)" -> "A(b, 3 - j)" => VERIFIED
//   run: clean

void f(float a[2][4], float out[2][4], float t[2][4]) {
  __requires("A: int * int -> float");
  __reads("a ~> Matrix2(2, 4, A)");
  __writes("out ~> Matrix2(2, 4, fun b j -> A(1 - b, j))");
  __consumes("t ~> UninitMatrix2(2, 4)");
  __produces("t ~> UninitMatrix2(2, 4)");
  kernel_launch(2, 4, 0);
  kernel_setup_end();
  thread for (int b = 0; b < 2; b++) {
    thread for (int j = 0; j < 4; j++) t[b][j] = a[b][j];
  }
  magic_barrier(); // grid
  thread for (int b = 0; b < 2; b++) {
    thread for (int j = 0; j < 4; j++) out[b][j] = t[1 - b][j];
  }
  kernel_teardown_begin();
  kernel_kill();
}
