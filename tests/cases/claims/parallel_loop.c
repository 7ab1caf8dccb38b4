// The same for a parallel loop.
// expect: VERIFIED
// also: annotated
// mutate: "int i = 0;" -> "int i = 1;" => REFUTED[OG305] for i in 0..m -> &a[i] ~~> 1
// mutate: "0..n - m ->" -> "0..n - m - 1 ->" => REFUTED[OG302] a[i] = 1;

void parallel(int n, int m, float a[n]) {
  __requires("0 <= m && m <= n");
  __consumes("for i in 0..m -> &a[i] ~> Cell");
  __consumes("for i in 0..n - m -> &a[m + i] ~> UninitCell");
  __produces("for i in 0..m -> &a[i] ~~> 1");
  __produces("for i in m..n -> &a[i] ~~> 1");
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = 1;
}
