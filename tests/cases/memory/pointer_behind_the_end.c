// A pointer may point behind the last element, and no further.
// expect: VERIFIED
// mutate: "&a[n];\n  return p[-1]" -> "&a[n + 1];\n  return p[-2]" => REFUTED[OG335] &a[n + 1]

int behind(int n, int a[n]) {
  __requires("A: int -> int, some: n > 0");
  __reads("a ~> Matrix1(n, A)");
  __ensures("_Res == A(n - 1)");
  int* const p = &a[n];
  return p[-1];
}
