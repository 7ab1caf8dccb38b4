// A function may not have a name that compilers know.
// expect: VERIFIED
// mutate: "halved" -> "cbrt" (2 times) => REJECTED[OG101] cbrt(double x) {
// mutate: "halved" -> "roundeven" (2 times) => REJECTED[OG101] roundeven(double x) {
// mutate: "halved" -> "sinf64" (2 times) => REJECTED[OG101] sinf64(double x) {
// mutate: "halved" -> "__builtin_fabs" (2 times) => REJECTED[OG101] __builtin_fabs(double x) {
// mutate: "halved" -> "_Half" (2 times) => REJECTED[OG101] _Half(double x) {
// mutate: "halved" -> "GOMP_parallel" (2 times) => REJECTED[OG101] GOMP_parallel(double x) {
// mutate: "halved" -> "omp_get_thread_num" (2 times) => REJECTED[OG101] omp_get_thread_num(double x) {

#include <optigpu.h>
double halved(double x) {
  __ensures("_Res == x / 2");
  return x / 2.0;
}
double f() {
  __ensures("_Res == 4");
  return halved(8.0);
}
