// Wrong variants of examples/stencil2d.c.
// program: examples/stencil2d.c
// expect: VERIFIED
// mutate: "i < h - 1; i++" -> "i < h; i++"
//   => REFUTED[OG302] b[i][j] = 0.5f * a[i][j] + 0.125f * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
//   run: OG201 a[i + 1][j]
// mutate: "+ a[i][j + 1])" -> "- a[i][j + 1])" => REFUTED[OG305] for i in 1..h - 1 -> for j in 1..w - 1 -> &b[i][j] ~~> "
//   run: OG212 for i in 1..h - 1 -> for j in 1..w - 1 -> &b[i][j] ~~> "
