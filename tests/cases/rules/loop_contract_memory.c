// Loop rule: what a written loop contract says of memory is checked, needed or not.
// expect: VERIFIED
// mutate: "&a[i] ~~> A(i)" -> "&a[i] ~~> A(i) - 1" => REFUTED[OG322] &a[i] ~~> A(i) - 1
// mutate: "&a[i] ~~> A(i)" -> "&a[i] ~~> A(i - 1)" => REFUTED[OG322] &a[i] ~~> A(i - 1)
// mutate: "&a[i] ~~> A(i)" -> "&a[i + 1] ~~> A(i)" => REFUTED[OG322] &a[i + 1] ~~> A(i)
// mutate: "&a[i] ~~> A(i)" -> "&c[i] ~~> A(i)" => REFUTED[OG322] &c[i] ~~> A(i)");
// mutate: "&a[j] ~~> A(j)" -> "&a[j] ~~> A(i)" => REFUTED[OG322] for j in 0..n -> &a[j] ~~> A(i)
// mutate: "for j in 0..n" -> "for j in 0..n + 1" => REFUTED[OG322] for j in 0..n + 1 -> &a[j] ~~> A(j)
// mutate: "&c[i] ~~> A(i) + i" -> "&c[i] ~~> A(i)" => REFUTED[OG322] &c[i] ~~> A(i)

void f(int n, float a[n], float c[n]) {
__requires("A: int -> float");
__reads("a ~> Matrix1(n, A)");
__writes("c ~> Matrix1(n, fun i -> A(i) + i)");
for (int i = 0; i < n; i++) {
    __xwrites("&c[i] ~~> A(i) + i");
    __xreads("&a[i] ~~> A(i)");
    __sreads("for j in 0..n -> &a[j] ~~> A(j)");
    c[i] = a[i] + i;
  }
}
