// Wrong variants of examples/tiled_exact.c.
// program: examples/tiled_exact.c
// expect: VERIFIED
// mutate: ", divides: n % TILE == 0" -> "" => REFUTED[OG311] exact_div(n, TILE)
//   run: OG207 exact_div(n, TILE)
