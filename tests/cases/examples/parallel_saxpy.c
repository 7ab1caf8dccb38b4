// Wrong variants of examples/parallel_saxpy.c.
// program: examples/parallel_saxpy.c
// expect: VERIFIED
// mutate: "y[i] = s * x[i] + y[i]" -> "y[0] = s * x[i] + y[0]" => REFUTED[OG324] y[0] = s * x[i] + y[0];
//   run: OG210 y[0];
// mutate: "y[i] = s * x[i] + y[i]" -> "y[i] = s * x[i] + y[n - 1 - i]" => REFUTED[OG324] y[i] = s * x[i] + y[n - 1 - i];
//   run: OG210 y[n - 1 - i]
