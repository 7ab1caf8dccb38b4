// Wrong variants of examples/transpose.c.
// program: examples/transpose.c
// expect: VERIFIED
// mutate: "b[x][y] = a[y][x]" -> "b[x][y] = a[x][y]" => REFUTED[OG302] a[x][y]
//   run: OG201 a[x][y]
