// The flag is an integer 0 or 1, accumulated with &&.
// expect: VERIFIED
// also: annotated
// mutate: "&&" -> "||" => REFUTED[OG307] _Res == 1) == All(i in 0..n, A(i) > 0)
// mutate: "int ok = 1" -> "int ok = 0" => REFUTED[OG307] _Res == 1) == All(i in 0..n, A(i) > 0)

int check(int n, int a[n]) {
  __requires("A: int -> int");
  __reads("a ~> Matrix1(n, A)");
  __ensures("(_Res == 1) == All(i in 0..n, A(i) > 0)");
  int ok = 1;
  for (int i = 0; i < n; i++) ok = ok && a[i] > 0;
  return ok;
}
