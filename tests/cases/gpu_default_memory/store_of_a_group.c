// A group stores as one where all its threads own the cell, and nobody has read it since the last magic barrier.
// expect: VERIFIED
// run: clean
// mutate: "magic_barrier(); // after the writes" -> ";" => REFUTED[OG341] a[b][0] = 5.0f;
//   run: OG210 a[b][0] = 5.0f;
//   also: schedules
// mutate: "magic_barrier(); // after the reads" -> ";" => REFUTED[OG342] a[b][0] = 7.0f;
//   run: OG210 a[b][0] = 7.0f;
//   also: schedules
// mutate: "magic_barrier(); // after the reads" -> "blocksync();" => REFUTED[OG342] a[b][0] = 7.0f;
//   run: OG210 a[b][0] = 7.0f;
// mutate: "a[b][0] = 7.0f" -> "a[0][0] = 7.0f" => REFUTED[OG340] a[b][t] = 1.0f;
//   run: OG210 a[0][0]

void f(float a[2][4], float c[2][4]) {
  __writes("a ~> Matrix2(2, 4, fun b j -> j == 0 ? 7 : 1)");
  __writes("c ~> Matrix2(2, 4, fun b j -> 5)");
  kernel_launch(2, 4, 0);
  kernel_setup_end();
  thread for (int b = 0; b < 2; b++) {
    thread for (int t = 0; t < 4; t++) a[b][t] = 1.0f;
    magic_barrier(); // after the writes
    a[b][0] = 5.0f;
    thread for (int t = 0; t < 4; t++) c[b][t] = a[b][0];
    magic_barrier(); // after the reads
    a[b][0] = 7.0f;
  }
  kernel_teardown_begin();
  kernel_kill();
}
