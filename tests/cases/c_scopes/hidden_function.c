// A variable hides a function of its name, as in C.
// expect: VERIFIED
// mutate: "int h = 3" -> "int g = 3", "+ h" -> "+ g" => REJECTED[OG101] g(x)
// mutate: "f(int x)" -> "f(int g)", "g(x)" -> "g(g)" => REJECTED[OG101] g(g)
// mutate: "x) + h" -> "x)" => REFUTED[OG307] _Res == 8

int g(int x) {
  __ensures("_Res == 5");
  return 5;
}

int f(int x) {
  __ensures("_Res == 8");
  const int h = 3;
  return g(x) + h;
}
