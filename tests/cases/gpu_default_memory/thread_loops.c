// Thread loops on default memory: a magic barrier orders them, and no barrier of a block does.
// expect: VERIFIED
// run: clean
// also: annotated, replay
// mutate: "magic_barrier(); // written" -> ";" => REFUTED[OG341] t[b][7 - j]
//   run: OG210 t[b][7 - j]
//   also: schedules
// mutate: "magic_barrier(); // written" -> "blocksync();" => REFUTED[OG341] t[b][7 - j]
//   run: OG210 t[b][7 - j]
// mutate: "t[b][7 - j]" -> "t[b][j]", "A(b, 7 - j)" -> "A(b, j)", "magic_barrier(); // written" -> ";" => VERIFIED
//   run: clean
// mutate: "t[b][7 - j]" -> "t[B - 1 - b][7 - j]" => REFUTED[OG340] t[b][j] = a[b][j];
//   run: OG210 t[B - 1 - b][7 - j]

void f(int B, float a[B][8], float out[B][8], float t[B][8]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __reads("a ~> Matrix2(B, 8, A)");
  __writes("out ~> Matrix2(B, 8, fun b j -> A(b, 7 - j))");
  __consumes("t ~> UninitMatrix2(B, 8)");
  __produces("t ~> UninitMatrix2(B, 8)");
  kernel_launch(B, 8, 0);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    thread for (int j = 0; j < 8; j++) t[b][j] = a[b][j];
    magic_barrier(); // written
    thread for (int j = 0; j < 8; j++) out[b][j] = t[b][7 - j];
  }
  kernel_teardown_begin();
  kernel_kill();
}
