// A histogram of its own for each block, in shared memory, which is added to the one in global memory after a barrier.
// expect: VERIFIED
// run: clean
// also: replay, standin
// mutate: "    blocksync(); // zeroed\n" -> "" => REFUTED[OG341] atomicAdd(&s[
// mutate: "    blocksync(); // counted\n" -> "" => REFUTED[OG341] s[t]); // read
// mutate: "      s[t] = 0;\n" -> "" => REFUTED[OG304] atomicAdd(&s[
// mutate: "atomicAdd(&h[t], s[t]); // read" -> "h[t] += s[t];" => REFUTED[OG340] h[t] += s[t];
// mutate: "atomicAdd(&h[t], s[t]); // read" -> "atomicMax(&h[t], s[t]);" => REFUTED[OG305] 2nd h ~> Matrix1Of
// mutate: "in_range(K(i), 0..4)" -> "in_range(K(i), 0..5)" => UNPROVED[OG302] atomicAdd(&s[
// mutate: "    blocksync(); // counted\n" -> "    thread for (int t = 0; t < 4; t++) { atomicOr(&s[t], 1); }\n    blocksync();\n"
//   => REFUTED[OG341] atomicOr
#include <optigpu.h>
void f(int g, int n, int key[n], int h[4]) {
  __requires("K: int -> int, 0 <= g && g <= 1000, 0 <= n && n <= 8 * g");
  __requires("forall (i: int) (r: in_range(i, 0..n)) -> in_range(K(i), 0..4)");
  __reads("key ~> Matrix1Of(n, GMem, K)");
  __consumes("h ~> Matrix1Of(4, GMem, fun c -> 0)");
  __produces("h ~> Matrix1Of(4, GMem, fun c -> Sum(i in 0..n, K(i) == c ? 1 : 0))");
  kernel_launch(g, 4, 4 * sizeof(int));
  kernel_setup_end();
  thread for (int b = 0; b < g; b++) {
    __shared__ int s[4];
    thread for (int t = 0; t < 4; t++) {
      s[t] = 0;
    }
    blocksync(); // zeroed
    thread for (int t = 0; t < 4; t++) {
      for (int k = 0; k < 2; k++) {
        if ((b * 2 + k) * 4 + t < n) {
          atomicAdd(&s[key[(b * 2 + k) * 4 + t]], 1);
        }
      }
    }
    blocksync(); // counted
    thread for (int t = 0; t < 4; t++) {
      atomicAdd(&h[t], s[t]); // read
    }
  }
  kernel_teardown_begin();
  kernel_kill();
}
