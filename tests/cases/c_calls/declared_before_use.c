// A function is declared before it is called, with its parameters.
// expect: VERIFIED
// Not declared.
// mutate: "double h(double x);\n" -> "" => REJECTED[OG100] h(x)
// Declared without parameters.
// mutate: "double h(double x);\n" -> "double h();\n" => REJECTED[OG102] h();
// Declared with other parameters.
// mutate: "double h(double x);\n" -> "double h(int x);\n" => REJECTED[OG102] h(int x);

#include <optigpu.h>
double h(double x);
double g(int x) {
  __ensures("_Res == x");
  return h(x);
}
double h(double x) {
  __ensures("_Res == x");
  return x;
}
