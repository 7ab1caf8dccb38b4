// Listing 3.7: a kernel that still works on memory of the host.
// program: examples/thesis/listing_3_7.c
// expect: REFUTED[OG348] in[y][x]
// mutate: "32 * 32, sizeof" -> "64 * 32, sizeof" => REFUTED[OG349] kernel_launch((W/32)*(H/32), 64 * 32, sizeof(float) * 32 * 32);
