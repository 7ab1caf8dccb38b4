// Iterations of a parallel loop of the host add to the same cells; after the loop, the sums are known.
// expect: VERIFIED
// run: clean
// also: replay
// mutate: "atomicAdd(&h[key[i]], 1);" -> "h[key[i]] += 1;" => REFUTED[OG324] h[key[i]] += 1;
// mutate: "atomicAdd(&h[key[i]], 1);" -> "atomicAdd(&h[key[i]], h[0]);" => REFUTED[OG324] atomicAdd
// mutate: "atomicAdd(&h[key[i]], 1);" -> "atomicAdd(&h[key[i]], 1); atomicMax(&h[0], 2);" => REFUTED[OG324] atomicAdd
// mutate: "0 <= K(i) && K(i) < m" -> "0 <= K(i) && K(i) <= m" => REFUTED[OG302] atomicAdd
// mutate: "h[c] = 0;" -> "" => REFUTED[OG304] atomicAdd
// mutate: "#pragma omp parallel for\n" -> "" => VERIFIED
// mutate: "atomicAdd(&h[key[i]], 1);" -> "atomicAdd(&h[key[i]], 2);" => REFUTED[OG305] h ~> Matrix1
#include <optigpu.h>
void f(int n, int m, int key[n], int h[m]) {
  __requires("K: int -> int, keys: forall i in 0..n -> 0 <= K(i) && K(i) < m");
  __reads("key ~> Matrix1(n, K)");
  __writes("h ~> Matrix1(m, fun c -> Sum(i in 0..n, K(i) == c ? 1 : 0))");
  for (int c = 0; c < m; c++) {
    h[c] = 0;
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    atomicAdd(&h[key[i]], 1);
  }
}
