// Listing 3.11: the final transpose, with shared memory that is allocated in the setup and has a copy for each block.
// program: examples/thesis/listing_3_11.c
// expect: VERIFIED
// run: clean
// also: standin, replay
// mutate: "blocksync();" -> ";" => REFUTED[OG341] tile[DMINDEX2(H/32,W/32,by,bx)][x][y]
// mutate: "[x][y];" -> "[y][x];" => REFUTED[OG305] out ~> Matrix2(W, H, fun i j -> A(j, i))
// mutate: "DMINDEX2(H/32,W/32,by,bx)][x]" -> "DMINDEX2(H/32,W/32,by,0)][x]" => REFUTED[OG344] tile[DMINDEX2(H/32,W/32,by,bx)][y][x]
// mutate: "DMINDEX2(H/32,W/32,by,bx)" -> "DMINDEX2(W/32,H/32,bx,by)" (2 times) => REFUTED[OG344] tile[DMINDEX2(W/32,H/32,bx,by)][y][x]
// mutate: "sizeof(float) * 32 * 32" -> "sizeof(float) * 32 * 16" => REFUTED[OG349] float* const tile = __smem_malloc2<float>(32,32)
// mutate: "__smem_free2(tile, 32, 32);" -> "" => REFUTED[OG351] kernel_kill();
// mutate: "memcpy_device_to_host2(out, d_out, W, H);" -> "memcpy_host_to_device2(d_in, in, H, W);" => REFUTED[OG306] out ~> Matrix2(W, H, fun i j -> A(j, i))
