// Threads of many blocks add to the cells of one array; the end of the kernel is the barrier after which the sums are known.
// expect: VERIFIED
// run: clean
// also: replay, standin
// mutate: "atomicAdd(&h[key[b * 4 + t]], 1);" -> "h[key[b * 4 + t]] += 1;" => REFUTED[OG340] h[key[b * 4 + t]] += 1;
// mutate: "atomicAdd(&h[key[b * 4 + t]], 1);" -> "atomicAdd(&h[key[b * 4 + t]], 2);" => REFUTED[OG305] 2nd h ~> Matrix1Of
// mutate: "atomicAdd(&h[key[b * 4 + t]], 1);" -> "atomicMax(&h[key[b * 4 + t]], 1);" => REFUTED[OG305] 2nd h ~> Matrix1Of
// mutate: "in_range(K(i), 0..m)" -> "in_range(K(i), 0..m + 1)" => REFUTED[OG302] atomicAdd
// mutate: "Matrix1Of(m, GMem, fun c -> 0)" -> "UninitMatrix1Of(m, GMem)" => REFUTED[OG304] atomicAdd
// mutate: "atomicAdd(&h[key[b * 4 + t]], 1);" -> "atomicAdd(&h[key[b * 4 + t]], h[0]);" => REFUTED[OG340] atomicAdd
// mutate: "        // more\n" -> "        h[0] = 0;\n" => REFUTED[OG340] atomicAdd
// mutate: "    // at block level\n" -> "    blocksync();\n    thread for (int t = 0; t < 4; t++) { const int x = h[0]; }\n"
//   => REFUTED[OG340] atomicAdd
// mutate: "  // at grid level\n" -> "  thread for (int b = 0; b < g; b++) { thread for (int t = 0; t < 4; t++) { const int x = h[0]; } }\n"
//   => REFUTED[OG343] h[0]
// mutate: "  // at grid level\n" -> "  thread for (int b = 0; b < g; b++) { thread for (int t = 0; t < 4; t++) { atomicMax(&h[0], 1); } }\n"
//   => REFUTED[OG343] atomicMax
// mutate: "  // before\n" -> "  thread for (int b = 0; b < g; b++) { thread for (int t = 0; t < 4; t++) { const int x = h[0]; } }\n"
//   => REFUTED[OG343] atomicAdd
// mutate: "      if (b * 4 + t < n) {" -> "      if (b * 4 + t < n - 1) {" => REFUTED[OG305] 2nd h ~> Matrix1Of
// mutate: "__consumes(\"h" -> "__reads(\"h" => REFUTED[OG303] atomicAdd
#include <optigpu.h>
void f(int g, int n, int m, int key[n], int h[m]) {
  __requires("K: int -> int, 0 <= g && g <= 1000, 0 <= n && n <= 4 * g, 1 <= m");
  __requires("forall (i: int) (r: in_range(i, 0..n)) -> in_range(K(i), 0..m)");
  __reads("key ~> Matrix1Of(n, GMem, K)");
  __consumes("h ~> Matrix1Of(m, GMem, fun c -> 0)");
  __produces("h ~> Matrix1Of(m, GMem, fun c -> Sum(i in 0..n, K(i) == c ? 1 : 0))");
  kernel_launch(g, 4, 0);
  kernel_setup_end();
  // before
  thread for (int b = 0; b < g; b++) {
    thread for (int t = 0; t < 4; t++) {
      if (b * 4 + t < n) {
        atomicAdd(&h[key[b * 4 + t]], 1);
        // more
      }
    }
    // at block level
  }
  // at grid level
  kernel_teardown_begin();
  kernel_kill();
}
