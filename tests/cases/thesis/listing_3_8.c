// Listing 3.8: the kernel after loop transformations, on default memory, which the whole grid works on as one. The last mutant is the
// same program without a kernel.
// program: examples/thesis/listing_3_8.c
// expect: VERIFIED
// mutate: "= tile[x][y]" -> "= tile[y][x]" => VERIFIED
// mutate: "        free(tile);\n" -> "" => VERIFIED
// mutate: "    kernel_launch((W/32)*(H/32), 32 * 32, sizeof(float) * 32 * 32);\n    kernel_setup_end();\n" -> "",
//   "    kernel_teardown_begin();\n    kernel_kill();\n" -> "" => VERIFIED
