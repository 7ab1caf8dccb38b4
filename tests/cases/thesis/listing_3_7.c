// Transpose after the kernel launch transformation: the grid acts as one, on default memory.
// program: examples/thesis/listing_3_7.c
// replace: "32" -> "2" (10 times)
// expect: VERIFIED
// run: clean
// also: annotated, replay
// mutate: ", W_tiles: W % 2 == 0" -> "" => REFUTED[OG346] out[x][y] = in[y][x];
//   run: OG212 out ~> Matrix2(W, H, fun x y -> A(y, x))
// mutate: "out[x][y] = in[y][x];" -> "out[x][y] = in[x][y];" => REFUTED[OG302] in[x][y]
//   run: OG212 out ~> Matrix2(W, H, fun x y -> A(y, x))
