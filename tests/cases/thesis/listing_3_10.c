// Transpose after thread for conversion, on default memory: only magic barriers order it.
// program: examples/thesis/listing_3_10.c
// replace: "32" -> "2" (22 times)
// expect: VERIFIED
// run: clean
// also: annotated, replay
// mutate: "        magic_barrier();\n        thread" -> "        thread" => REFUTED[OG341] tile[x][y]
// mutate: "        magic_barrier();\n        thread" -> "        blocksync();\n        thread" => REFUTED[OG341] tile[x][y]
// mutate: "        magic_barrier();\n        free" -> "        free" => REFUTED[OG358] free(tile);
// mutate: "tile[x][y]" -> "tile[y][x]" => REFUTED[OG305] out ~> Matrix2(W, H, fun x y -> A(y, x))
