// Listing 2.1: the loop contract and the proof steps are checked, whether the proof needs them or not.
// program: examples/thesis/listing_2_1.c
// expect: VERIFIED
// assumptions: 2
// mutate: "reduce_sum(i,A)" -> "reduce_sum(i + 1,A)" => UNPROVED[OG322] &sum ~> reduce_sum(i + 1,A)
// mutate: "reduce_sum_add_right(i, A, i_geq_0)" -> "reduce_sum_add_right(i + 1, A, i_geq_0)"
//   => UNPROVED[OG361] __ghost(rewrite_float_linear, "inside := (fun v -> &sum ~~> v), by := reduce_sum_add_right(i + 1, A, i_geq_0)")
// mutate: "int i = 0" -> "int i = 1" => UNPROVED[OG322] &sum ~> reduce_sum(i,A)
