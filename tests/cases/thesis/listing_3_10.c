// Listing 3.10: the kernel after `thread for` conversion, on memory of the host.
// program: examples/thesis/listing_3_10.c
// expect: REFUTED[OG350] float* const tile = MALLOC2<float>(32,32)
// mutate: "blocksync();" -> ";" => REFUTED[OG350] float* const tile = MALLOC2<float>(32,32)
