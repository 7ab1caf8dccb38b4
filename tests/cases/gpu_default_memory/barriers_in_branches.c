// A magic barrier in a branch orders the group only where all of it takes that branch.
// expect: REFUTED[OG341] a[3];
// run: OG210 a[3]
// mutate: "if (flag[0] > 0.0f) magic_barrier();" -> "if (flag[0] > 0.0f) magic_barrier(); else { magic_barrier(); }" => VERIFIED
//   run: clean
// mutate: "if (flag[0] > 0.0f) magic_barrier();" -> "thread for (int t = 0; t < 8; t++) { if (t < 4) magic_barrier(); }"
//   => REFUTED[OG341] a[3];
//   run: OG210 a[3]
// mutate: "if (flag[0] > 0.0f) magic_barrier();" -> "thread for (int h = 0; h < 2; h++) magic_barrier();"
//   => REFUTED[OG341] a[3];
//   run: OG210 a[3]

void f(float a[8], float flag[1], float out[1]) {
  __requires("A: int -> float, F: int -> float");
  __consumes("a ~> Matrix1(8, A)");
  __produces("a ~> Cells1(8)");
  __reads("flag ~> Matrix1(1, F)");
  __consumes("out ~> Cells1(1)");
  __produces("out ~> Cells1(1)");
  kernel_launch(1, 8, 0);
  kernel_setup_end();
  thread for (int t = 0; t < 8; t++) a[t] = t;
  if (flag[0] > 0.0f) magic_barrier();
  out[0] = a[3];
  kernel_teardown_begin();
  kernel_kill();
}
