// Listing 3.8: the kernel after loop transformations, on default memory, which the whole grid works on as one. The last mutant is the
// same program without a kernel.
// program: examples/thesis/listing_3_8.c
// expect: VERIFIED
// mutate: "= tile[x][y]" -> "= tile[y][x]" => UNPROVED[OG305] out ~> Matrix2(W, H, fun i j -> A(j, i))
// mutate: "        free(tile);\n" -> "" => UNPROVED[OG308] float* const tile = MALLOC2<float>(32,32)
// mutate: "    kernel_launch((W/32)*(H/32), 32 * 32, sizeof(float) * 32 * 32);\n    kernel_setup_end();\n" -> "",
//   "    kernel_teardown_begin();\n    kernel_kill();\n" -> "" => VERIFIED
