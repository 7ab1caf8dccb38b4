// The gradient of an embedding: rows are added to rows that keys choose.
// expect: VERIFIED
// run: clean
// also: replay, standin
// mutate: "key[i]" -> "key[0]" => REFUTED[OG305] 2nd w ~> Matrix2Of
// mutate: "j < d; j += 4" -> "j < d; j += 2" => REFUTED[OG305] 2nd w ~> Matrix2Of
//   slow: the search for a proof takes long to give up
// mutate: "in_range(K(i), 0..m)" -> "in_range(K(i), 0..m + 1)" => REFUTED[OG302] atomicAdd
#include <optigpu.h>
void f(int n, int m, int d, int key[n], float g[n][d], float w[m][d]) {
  __requires("K: int -> int, G: int * int -> float, W: int * int -> float, n >= 0, m >= 0, d >= 0");
  __requires("forall (i: int) (r: in_range(i, 0..n)) -> in_range(K(i), 0..m)");
  __reads("key ~> Matrix1Of(n, GMem, K), g ~> Matrix2Of(n, d, GMem, G)");
  __consumes("w ~> Matrix2Of(m, d, GMem, W)");
  __produces("w ~> Matrix2Of(m, d, GMem, fun r j -> W(r, j) + Sum(i in 0..n, K(i) == r ? G(i, j) : 0.0f))");
  kernel_launch(n, 4, 0);
  kernel_setup_end();
  thread for (int i = 0; i < n; i++) {
    thread for (int t = 0; t < 4; t++) {
      for (int j = t; j < d; j += 4) {
        atomicAdd(&w[key[i]][j], g[i][j]);
      }
    }
  }
  kernel_teardown_begin();
  kernel_kill();
}
