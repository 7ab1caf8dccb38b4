// Listing 3.5: the base transpose.
// program: examples/thesis/listing_3_5.c
// expect: VERIFIED
// run: clean
// mutate: "in[y][x]" -> "in[x][y]" => REFUTED[OG302] in[x][y]
// mutate: "x < W" -> "x <= W" => REFUTED[OG302] out[x][y] = in[y][x];
// mutate: "fun i j -> A(j, i)" -> "fun i j -> A(i, j)" => UNPROVED[OG361] A(i, j)
