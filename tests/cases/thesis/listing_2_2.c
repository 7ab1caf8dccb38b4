// Listing 2.2: each clause that the transformations keep or write is checked.
// program: examples/thesis/listing_2_2.c
// expect: VERIFIED
// assumptions: 2
// mutate: "~~> reduce_sum(128 * bi + 128, A)" -> "~~> reduce_sum(128 * bi + 127, A)"
//   => UNPROVED[OG322] &psums[bi] ~~> reduce_sum(128 * bi + 127, A) - reduce_sum(128 * bi, A)
// mutate: "~~> reduce_sum(bi * 128 + i, A) - reduce_sum(128 * bi, A)" -> "~~> reduce_sum(bi * 128 + i, A)"
//   => UNPROVED[OG322] &psums[bi] ~~> reduce_sum(bi * 128 + i, A)
// mutate: "&sum ~~> reduce_sum(bi * 128, A)" -> "&sum ~~> reduce_sum(bi * 128 + 1, A)"
//   => UNPROVED[OG322] &sum ~~> reduce_sum(bi * 128 + 1, A)
// mutate: "psums[bi] = 0.0f" -> "psums[bi] = 1.0f" => UNPROVED[OG322] &psums[bi] ~~> reduce_sum(bi * 128 + i, A) - reduce_sum(128 * bi, A)
// mutate: "v - reduce_sum(128 * bi, A)" -> "v"
//   => UNPROVED[OG322] __ghost(rewrite_float_linear, "inside := fun v -> &psums[bi] ~~> v, by := reduce_sum_add_right(bi * 128
