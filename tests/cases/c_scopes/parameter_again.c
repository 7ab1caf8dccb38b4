// C has one block for the parameters and the body of a function. A block inside may hide a parameter.
// expect: VERIFIED
// mutate: "int m = 3;" -> "int k = 3;" => REJECTED[OG101] int k = 3;
// mutate: "int m = 3;" -> "int m = 3; float k[2];" => REJECTED[OG101] float k[2];
// mutate: "x += v;" -> "x += v + i;" => REFUTED[OG307] _Res == k

int f(int k) {
  __requires("k >= 0 && k <= 100");
  __ensures("_Res == k");
  int m = 3;
  m = 0;
  int x = 0;
  for (int i = 0; i < k; i++) {
    const int k = 1;
    const int v = k;
    x += v;
  }
  return x + m;
}
