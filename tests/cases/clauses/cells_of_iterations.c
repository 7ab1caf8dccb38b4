// What an iteration takes and gives back belongs to it alone: not to another one, not twice, and not to be read only.
// expect: VERIFIED
// run: clean
// mutate: "xconsumes(\"&a[i] ~~> A(i)\")" -> "xconsumes(\"&a[0] ~~> A(0)\")" => REFUTED[OG322] &a[0] ~~> A(0)
//   run: OG213 &a[0] ~~> A(0)
// mutate: "xconsumes(\"&a[i] ~~> A(i)\")" -> "xconsumes(\"&a[i] ~~> A(i), &a[i] ~~> A(i)\")" => REFUTED[OG322] for (int i = 0; i < n; i++)
//   run: OG213 &a[i] ~~> A(i)");
// mutate: "xconsumes(\"&a[i] ~~> A(i)\")" -> "xconsumes(\"for j in 0..2 -> &a[i] ~~> A(i)\")" => REFUTED[OG322] for j in 0..2 -> &a[i] ~~> A(i)
//   run: OG213 &a[i] ~~> A(i)
// mutate: "xconsumes(\"&a[i] ~~> A(i)\")" -> "xconsumes(\"a ~> Matrix1(n, A)\")" => REFUTED[OG322] 2nd a ~> Matrix1(n, A)");
//   run: OG213 2nd a ~> Matrix1(n, A)");
// mutate: "xproduces(\"&a[i] ~~> 7\")" -> "xproduces(\"&a[i] ~~> 7, &a[i] ~> Cell\")" => REFUTED[OG322] for (int i = 0; i < n; i++)
//   run: OG213 &a[i] ~> Cell
// mutate: "xreads(\"&b[i] ~~> B(i)\")" -> "xconsumes(\"&b[i] ~~> B(i)\")" => REFUTED[OG322] &b[i] ~~> B(i)
//   run: OG213 &b[i] ~~> B(i)
// mutate: "xreads(\"&b[i] ~~> B(i)\")" -> "xpreserves(\"&b[i] ~~> B(i)\")" => REFUTED[OG322] &b[i] ~~> B(i)
//   run: OG213 &b[i] ~~> B(i)
// mutate: "xreads(\"&b[i] ~~> B(i)\")" -> "xreads(\"&a[i] ~~> A(i)\")" => REFUTED[OG322] 2nd &a[i] ~~> A(i)");
//   run: OG213 2nd &a[i] ~~> A(i)");
// mutate: "xreads(\"&b[i] ~~> B(i)\")" -> "sreads(\"a ~> Matrix1(n, A)\")" => REFUTED[OG322] 2nd a ~> Matrix1(n, A)");
//   run: OG213 2nd a ~> Matrix1(n, A)");
// mutate: "xreads(\"&b[i] ~~> B(i)\")" -> "spreserves(\"&a[0] ~> Cell\")" => REFUTED[OG322] for (int i = 0; i < n; i++)
//   run: OG213 &a[0] ~> Cell
// mutate: "xreads(\"&b[i] ~~> B(i)\")" -> "sreads(\"b ~> Matrix1(i - 5, B)\")" => REFUTED[OG322] b ~> Matrix1(i - 5, B)
//   run: OG213 b ~> Matrix1(i - 5, B)
// mutate: "xreads(\"&b[i] ~~> B(i)\")" -> "xreads(\"&c[i] ~~> 0\")" => REFUTED[OG322] &c[i] ~~> 0
//   run: OG213 &c[i] ~~> 0
// mutate: "xreads(\"&b[i] ~~> B(i)\")" -> "xreads(\"&c[i] ~> Cell\")" => REFUTED[OG322] &c[i] ~> Cell
//   run: OG213 &c[i] ~> Cell
// mutate: "xreads(\"&b[i] ~~> B(i)\")" -> "sreads(\"c ~> Cells1(n)\")" => REFUTED[OG322] c ~> Cells1(n)
//   run: OG213 c ~> Cells1(n)
// mutate: "xreads(\"&b[i] ~~> B(i)\")" -> "sreads(\"&s ~~> i\")" => REFUTED[OG322] &s ~~> i
//   run: OG213 &s ~~> i

#include <optigpu.h>
void f(int n, int a[n], int b[n], int c[n]) {
  __requires("A: int -> int, B: int -> int, n >= 2, n < 1000");
  __consumes("a ~> Matrix1(n, A)");
  __produces("a ~> Matrix1(n, fun i -> 7)");
  __reads("b ~> Matrix1(n, B)");
  __consumes("c ~> Matrix1(n, fun i -> 0)");
  __produces("c ~> Matrix1(n, B)");
  int s = 0;
  for (int i = 0; i < n; i++) {
    __xconsumes("&a[i] ~~> A(i)");
    __xproduces("&a[i] ~~> 7");
    __xreads("&b[i] ~~> B(i)");
    a[i] = 7;
    c[i] = b[i];
    s += 1;
  }
}
