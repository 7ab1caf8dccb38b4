// Listing 4.12 of the thesis: the rule of the `for` loop, as a program that uses each of its parts. I(i) is the invariant, H0(i) what
// iteration i takes for itself and H(i) what it gives back. Before the loop I(0) and all H0(i) hold, after it I(N) and all H(i): these
// are the contracts of the two functions. The second loop has no invariant, so it can be parallel.
// Ours: the range may be empty (then I(N) is I(0)), N may be negative (then I(max(0, N)) holds after the loop).
#include <optigpu.h>

void loop(int N, int a[N], int s[1]) {
  __requires("N <= 1000, A: int -> int");
  __requires("small: forall i in 0..N -> 0 <= A(i) && A(i) <= 1000");
  __consumes("s ~~> 0, for i in 0..N -> &a[i] ~~> A(i)");
  __produces("s ~~> Sum(k in 0..N, A(k)), for i in 0..N -> &a[i] ~~> A(i) + i");
  for (int i = 0; i < N; i++) {
    __spreserves("s ~~> Sum(k in 0..i, A(k))");
    __xconsumes("&a[i] ~~> A(i)");
    __xproduces("&a[i] ~~> A(i) + i");
    s[0] = s[0] + a[i];
    a[i] = a[i] + i;
  }
}

void parallel_loop(int N, float a[N]) {
  __requires("A: int -> float");
  __consumes("for i in 0..N -> &a[i] ~~> A(i)");
  __produces("for i in 0..N -> &a[i] ~~> 2 * A(i)");
  #pragma omp parallel for
  for (int i = 0; i < N; i++) {
    __xconsumes("&a[i] ~~> A(i)");
    __xproduces("&a[i] ~~> 2 * A(i)");
    a[i] = 2 * a[i];
  }
}
