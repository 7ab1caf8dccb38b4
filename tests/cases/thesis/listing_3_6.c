// Listing 3.6: the reference CUDA transpose. The first mutant is what the thesis prints where the tile is read.
// program: examples/thesis/listing_3_6.c
// expect: VERIFIED
// run: clean
// also: standin, replay
// mutate: "tile[x][y * 2 + i]" -> "tile[y * 2 + i][x]" => REFUTED[OG305] out ~> Matrix2(W, H, fun i j -> A(j, i))
// mutate: "__syncthreads();" -> ";" => REFUTED[OG341] tile[x][y * 2 + i]
// mutate: "32*32*sizeof(float)" -> "16*32*sizeof(float)" => REFUTED[OG349] float tile
// mutate: "16 * 32" -> "32 * 32" => REFUTED[OG346] tile[y * 2 + i][x] = d_in[by * 32 + y * 2 + i][bx * 32 + x];
// mutate: "memcpy_device_to_host2(out, d_out, W, H)" -> "memcpy_host_to_device2(d_out, out, W, H)" => REFUTED[OG316] memcpy_host_to_device2(d_out, out, W, H);
