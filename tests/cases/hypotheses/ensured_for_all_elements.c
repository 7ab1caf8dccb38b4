// What holds of all elements is promised with the same words; a fact about other functions is about all integers.
// expect: VERIFIED
// mutate: "forall i, A(i) * 2 == B(i)" -> "forall i, A(i) * 2 == B(i + 1)" => UNPROVED[OG307] forall i in 0..n, B(i) >= 2
// mutate: "ensures(\"forall i, A(i) >= 1\")" -> "ensures(\"forall i, A(i) >= 1 && i >= 0\")" => UNPROVED[OG361] A(i) >= 1 && i >= 0");
// mutate: "requires(\"forall i, A(i) >= 1\")" -> "requires(\"forall i, A(i) >= 0\")" => REFUTED[OG307] forall i in 0..n, B(i) >= 2

void doubled(int n, int a[n]) {
  __requires("A: int -> int, B: int -> int");
  __requires("forall i, A(i) >= 1");
  __requires("forall i, A(i) * 2 == B(i)");
  __reads("a ~> Matrix1(n, A)");
  __ensures("forall i in 0..n, B(i) >= 2");
  __ensures("forall i, A(i) >= 1");
}
