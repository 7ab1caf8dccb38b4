// Listing 2.4, left.
// program: examples/thesis/listing_2_4_before.c
// expect: VERIFIED
// mutate: "&a[i] ~~> 2 * A(i) + 1" -> "&a[i] ~~> 2 * A(i)" => REFUTED[OG322] &a[i] ~~> 2 * A(i)
// mutate: "&a[i] ~~> A(i)" -> "&a[i] ~~> 2 * A(i)" => REFUTED[OG322] &a[i] ~~> 2 * A(i)");
// mutate: "    g(&a[i]);\n" -> "" => REFUTED[OG322] &a[i] ~~> 2 * A(i) + 1
