// Sequential loops in a kernel, which the steps of magic thread for conversion start from.
// program: examples/thesis/figure_5_4.c
// expect: VERIFIED
// run: clean
// mutate: "for (int i = 0; i < n; i++) {\n    for (int j = 0; j < m; j++) {\n      t[" -> "magic thread for (int i = 0; i < n; i++) {\n    for (int j = 0; j < m; j++) {\n      t["
//   => REFUTED[OG341] t[n - 1 - i][j]
//   run: OG210 t[n - 1 - i][j]
