// Vector accesses to default memory, by a group that acts as one.
// expect: VERIFIED
// run: clean
// mutate: "vload4(&r[0], &a[0])" -> "vload4(&r[0], &a[2])" => REFUTED[OG353] vload4(&r[0], &a[2]);
//   run: OG229 vload4(&r[0], &a[2])

void f(float a[8], float b[8]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(8, A)");
  __writes("b ~> Matrix1(8, fun i -> i < 4 ? A(i) : 0)");
  kernel_launch(1, 4, 0);
  kernel_setup_end();
  float r[4];
  vload4(&r[0], &a[0]);
  vstore4(&b[0], &r[0]);
  for (int i = 4; i < 8; i++) b[i] = 0.0f;
  kernel_teardown_begin();
  kernel_kill();
}
