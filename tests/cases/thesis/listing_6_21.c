// Listing 6.21: the program of the case study, two elements per thread.
// program: examples/thesis/listing_6_21.c
// expect: VERIFIED
// run: clean
// also: standin, replay
// mutate: "blocksync();" -> ";" => REFUTED[OG341] tile[DMINDEX2(exact_div(H, 32), exact_div(W, 32), by, bx)][y][j * 16 + x]
// mutate: "j < 2; j++) {\n              tile" -> "j < 1; j++) {\n              tile" => REFUTED[OG304] tile[DMINDEX2(exact_div(H, 32), exact_div(W, 32), by, bx)][y][j * 16 + x]
// mutate: "y < 16" -> "y < 32" => REFUTED[OG347] thread for (int x = 0; x < 32; x++)
// mutate: "MSIZE2(16, 32), sizeof" -> "MSIZE2(32, 32), sizeof" => REFUTED[OG346] tile[DMINDEX2(exact_div(H, 32), exact_div(W, 32), by, bx)][j * 16 + y][x] = d_in[by * 32 + j * 16 + y][bx * 32 + x];
// mutate: "__smem_free2(tile, 32, 32)" -> "__smem_free2(tile, 32, 33)" => REFUTED[OG351] 33
