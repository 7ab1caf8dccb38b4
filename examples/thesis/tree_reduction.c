#include <optigpu.h>

// The tree reduction of section 7.3, a routine that is verified by itself; `reduction.py` inserts it into the reduction and inlines it.
// Before the step i, the first 1 << i cells hold the sums of the cells that are 1 << i apart.
void tree_reduction(int logN, float a[1 << logN]) {
  __requires("A: int -> float, 0 <= logN && logN <= 20");
  __consumes("a ~> Matrix1(1 << logN, A)");
  __produces("&a[0] ~~> Sum(j in 0..1 << logN, A(j)), for t in 1..1 << logN -> &a[t] ~> Cell");
  for (int i = logN; i > 0; i--) {
    __spreserves("for t in 0..1 << i -> &a[t] ~~> Sum(j in 0..1 << (logN - i), A(t + j * (1 << i)))");
    __spreserves("for t in 1 << i..1 << logN -> &a[t] ~> Cell");
    for (int t = 0; t < 1 << logN; t++) {
      if (t < 1 << (i - 1)) {
        a[t] = a[t] + a[t + (1 << (i - 1))];
      }
    }
  }
}
