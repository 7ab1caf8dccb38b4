// The claims of a contract are disjoint, and together what the body accesses.
// expect: VERIFIED
// mutate: 'for i in 0..2 -> &a[i] ~> Cell, for i in 2..n -> &a[i] ~> Cell");\n  __prod'
//   -> 'for i in 0..2 -> &a[i] ~> Cell, for i in 1..n -> &a[i] ~> Cell");\n  __prod'
//   => REFUTED[OG323] for i in 1..n -> &a[i] ~> Cell
// mutate: 'for i in 0..2 -> &a[i] ~> Cell, for i in 2..n -> &a[i] ~> Cell");\n  __prod'
//   -> 'for i in 0..2 -> &a[0] ~> Cell, for i in 2..n -> &a[i] ~> Cell");\n  __prod'
//   => REFUTED[OG323] for i in 0..2 -> &a[0] ~> Cell
// mutate: "n >= 4" -> "n >= 3" => REFUTED[OG302] a[3] = 2.0f;
// mutate: '2..n -> &a[i] ~> Cell");\n  a[0]' -> '3..n -> &a[i] ~> Cell");\n  a[0]'
//   => REFUTED[OG308] for i in 0..2 -> &a[i] ~> Cell, for i in 3..n -> &a[i] ~> Cell");

void claims(int n, float a[n]) {
  __requires("size: n >= 4");
  __consumes("for i in 0..2 -> &a[i] ~> Cell, for i in 2..n -> &a[i] ~> Cell");
  __produces("for i in 0..2 -> &a[i] ~> Cell, for i in 2..n -> &a[i] ~> Cell");
  a[0] = 1.0f;
  a[3] = 2.0f;
}
