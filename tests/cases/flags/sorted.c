// Whether an array is sorted: neighbouring elements are compared.
// expect: VERIFIED
// also: annotated
// mutate: "a[i - 1] <= a[i]" -> "a[i - 1] < a[i]" => REFUTED[OG307] _Res == (forall i in 1..n -> A(i - 1) <= A(i)
// mutate: "int i = 1" -> "int i = 0" => REFUTED[OG302] a[i - 1]
// mutate: "i < n;" -> "i < n - 1;" => REFUTED[OG307] _Res == (forall i in 1..n -> A(i - 1) <= A(i)

bool sorted(int n, int a[n]) {
  __requires("A: int -> int");
  __reads("a ~> Matrix1(n, A)");
  __ensures("_Res == (forall i in 1..n -> A(i - 1) <= A(i))");
  bool ok = true;
  for (int i = 1; i < n; i++) ok = ok && a[i - 1] <= a[i];
  return ok;
}
