// Alignment of vector accesses is proved through calls.
// expect: VERIFIED
// mutate: "&d[4]" -> "&d[1]" => REFUTED[OG353] pass(&d[1], &e[1][4]);
// mutate: "&e[1][4]" -> "&e[1][2]" => REFUTED[OG353] pass(&d[4], &e[1][2]);
// mutate: "&d[8]" -> "&d[6]" => REFUTED[OG316] pass(&d[4], &e[1][4]);
// mutate: "pass(&p[4], q)" -> "pass(&p[3], q)" => REFUTED[OG353] pass(&p[3], q);

#include <optigpu.h>
__device__ void pass(float p[4], float q[4]) {
  __preserves("for i in 0..4 -> &p[i] ~>[GMem] Cell");
  __preserves("for i in 0..4 -> &q[i] ~>[GMem] Cell");
  float r[4];
  vload4(&r[0], &p[0]);
  vstore4(&q[0], &r[0]);
}
__device__ void pass_on(float p[8], float q[4]) {
  __preserves("for i in 0..8 -> &p[i] ~>[GMem] Cell");
  __preserves("for i in 0..4 -> &q[i] ~>[GMem] Cell");
  pass(&p[4], q);
}
void f(float d[16], float e[2][8]) {
  __preserves("for i in 0..16 -> &d[i] ~>[GMem] Cell");
  __preserves("for i in 0..2 -> for j in 0..8 -> &e[i][j] ~>[GMem] Cell");
  kernel_launch(1, 1, 0);
  kernel_setup_end();
  thread for (int t = 0; t < 1; t++) {
    pass(&d[4], &e[1][4]);
    pass_on(&d[8], &e[0][0]);
  }
  kernel_teardown_begin();
  kernel_kill();
}
