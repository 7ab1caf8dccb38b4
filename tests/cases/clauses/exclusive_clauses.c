// Exclusive clauses of a loop: what iteration i takes, reads, writes and gives back.
// expect: VERIFIED
// run: clean
// mutate: "xconsumes(\"&a[i] ~~> A(i)\")" -> "xconsumes(\"&a[i] ~~> A(i) + 1\")" => REFUTED[OG322] &a[i] ~~> A(i) + 1
//   run: OG213 &a[i] ~~> A(i) + 1
// mutate: "xproduces(\"&a[i] ~~> 2 * A(i)\")" -> "xproduces(\"&a[i] ~~> A(i)\")" => REFUTED[OG322] 2nd &a[i] ~~> A(i)");
//   run: OG213 2nd &a[i] ~~> A(i)");
// mutate: "xproduces(\"&a[i] ~~> 2 * A(i)\")" -> "xproduces(\"&a[n - 1 - i] ~~> 2 * A(n - 1 - i)\")"
//   => REFUTED[OG322] &a[i] ~~> A(i)
//   run: OG213 &a[n - 1 - i] ~~> 2 * A(n - 1 - i)
// mutate: "xproduces(\"&a[i] ~~> 2 * A(i)\")" -> "xproduces(\"&a[0] ~~> 2 * A(0)\")"
//   => REFUTED[OG326] for (int i = 0; i < n; i++)
//   run: OG213 &a[0] ~~> 2 * A(0)
// mutate: "xwrites(\"&w[i] ~~> A(i)\")" -> "xwrites(\"&w[i] ~~> B(i)\")" => REFUTED[OG322] &w[i] ~~> B(i)
//   run: OG213 &w[i] ~~> B(i)
// mutate: "xwrites(\"&w[i] ~~> A(i)\")" -> "xwrites(\"&w[i] ~> UninitCell\")" => UNPROVED[OG306] w ~> Matrix1(n, A)
//   run: clean
// mutate: "xwrites(\"&w[i] ~~> A(i)\")" -> "xpreserves(\"&w[i] ~~> A(i)\")" => REFUTED[OG322] &w[i] ~~> A(i)
//   run: OG213 &w[i] ~~> A(i)
// mutate: "xreads(\"&b[i] ~~> B(i)\")" -> "xreads(\"&b[i] ~~> A(i)\")" => REFUTED[OG322] &b[i] ~~> A(i)
//   run: OG213 &b[i] ~~> A(i)
// mutate: "xreads(\"&b[i] ~~> B(i)\")" -> "xreads(\"&b[i + 1] ~~> B(i + 1)\")" => REFUTED[OG322] &b[i + 1] ~~> B(i + 1)
//   run: OG213 &b[i + 1] ~~> B(i + 1)
// mutate: "xpreserves(\"&p[i] ~~> B(i)\")" -> "xpreserves(\"&p[i] ~~> A(i)\")" => REFUTED[OG322] &p[i] ~~> A(i)
//   run: OG213 &p[i] ~~> A(i)
// mutate: "p[i] = b[i]" -> "p[i] = b[i] + 1" => REFUTED[OG322] &p[i] ~~> B(i)
//   run: OG213 &p[i] ~~> B(i)
// mutate: "sreads(\"for j in 0..n -> &b[j] ~~> B(j)\")" -> "sreads(\"for j in 0..n + 1 -> &b[j] ~~> B(j)\")"
//   => REFUTED[OG322] for j in 0..n + 1 -> &b[j] ~~> B(j)
//   run: OG213 &b[j] ~~> B(j)
// mutate: "sreads(\"for j in 0..n -> &b[j] ~~> B(j)\")" -> "sreads(\"for j in 0..n -> &b[j] ~~> A(j)\")"
//   => REFUTED[OG322] for j in 0..n -> &b[j] ~~> A(j)
//   run: OG213 &b[j] ~~> A(j)

#include <optigpu.h>
void f(int n, float a[n], float b[n], float w[n], float p[n]) {
  __requires("A: int -> float, B: int -> float");
  __consumes("a ~> Matrix1(n, A)");
  __produces("a ~> Matrix1(n, fun i -> 2 * A(i))");
  __reads("b ~> Matrix1(n, B)");
  __preserves("p ~> Matrix1(n, B)");
  __writes("w ~> Matrix1(n, A)");
  for (int i = 0; i < n; i++) {
    __xconsumes("&a[i] ~~> A(i)");
    __xproduces("&a[i] ~~> 2 * A(i)");
    __xreads("&b[i] ~~> B(i)");
    __xwrites("&w[i] ~~> A(i)");
    __xpreserves("&p[i] ~~> B(i)");
    __sreads("for j in 0..n -> &b[j] ~~> B(j)");
    w[i] = a[i];
    a[i] = a[i] + w[i];
    p[i] = b[i];
  }
}
