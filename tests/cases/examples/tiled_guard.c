// Wrong variants of examples/tiled_guard.c.
// program: examples/tiled_guard.c
// expect: VERIFIED
// mutate: "t * TILE + i < n" -> "t * TILE + i <= n" => REFUTED[OG302] b[t * TILE + i] = 2.0f * a[t * TILE + i];
//   run: OG201 a[t * TILE + i]
// mutate: "(n + TILE - 1) / TILE" -> "n / TILE" => REFUTED[OG306] b ~> Matrix1(n, fun i -> 2 * A(i))
//   run: OG212 b ~> Matrix1(n, fun i -> 2 * A(i))
