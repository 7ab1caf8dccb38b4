// Listing 4.12: the rule of the `for` loop. A false I, H0 or H is found.
// expect: VERIFIED
// run: clean
// mutate: '    __spreserves("s ~~> Sum(k in 0..i, A(k))")' -> '    __spreserves("s ~~> Sum(k in 0..i + 1, A(k))")'
//   => REFUTED[OG322] s ~~> Sum(k in 0..i + 1, A(k))
// mutate: '__xconsumes("&a[i] ~~> A(i)");\n    __xproduces("&a[i] ~~> A(i) + i")' -> '__xconsumes("&a[i] ~~> A(i) + i");\n    __xproduces("&a[i] ~~> A(i) + i")'
//   => REFUTED[OG322] 2nd &a[i] ~~> A(i) + i");
// mutate: '    __xproduces("&a[i] ~~> A(i) + i")' -> '    __xproduces("&a[i] ~~> A(i)")' => REFUTED[OG322] 3rd &a[i] ~~> A(i)");
// mutate: 's ~~> Sum(k in 0..N, A(k)), for' -> 's ~~> Sum(k in 0..N - 1, A(k)), for' => REFUTED[OG305] s ~~> Sum(k in 0..N - 1, A(k))
// mutate: 'a[i] = 2 * a[i]' -> 'a[i] = 2 * a[0]' => REFUTED[OG302] a[0]
// program: examples/thesis/listing_4_12.c
