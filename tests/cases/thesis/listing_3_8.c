// Listing 3.8: the kernel after loop transformations, on memory of the host. The mutant is the same program without a kernel.
// program: examples/thesis/listing_3_8.c
// expect: REFUTED[OG350] float* const tile = MALLOC2<float>(32,32)
// mutate: "    kernel_launch((W/32)*(H/32), 32 * 32, sizeof(float) * 32 * 32);\n    kernel_setup_end();\n" -> "",
//   "    kernel_teardown_begin();\n    kernel_kill();\n" -> "" => VERIFIED
