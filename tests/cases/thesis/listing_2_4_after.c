// Listing 2.4, right: what holds between the two loops is checked too.
// program: examples/thesis/listing_2_4_after.c
// expect: VERIFIED
// mutate: '__xproduces("&a[i] ~~> 2 * A(i)");' -> '__xproduces("&a[i] ~~> 3 * A(i)");'
//   => REFUTED[OG322] &a[i] ~~> 3 * A(i)
// mutate: '__xconsumes("&a[i] ~~> 2 * A(i)");' -> '__xconsumes("&a[i] ~~> A(i)");' => REFUTED[OG322] 2nd &a[i] ~~> A(i)");
// mutate: "    f(&a[i]);\n" -> "    g(&a[i]);\n" => REFUTED[OG322] 1st &a[i] ~~> 2 * A(i)");
