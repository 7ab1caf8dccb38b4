// The serial program of the phases of a GPU conversion; the script is tested in tests/transform/test_conversion_phases.py.
// program: examples/thesis/figure_5_3.c
// expect: VERIFIED
// run: clean
// mutate: "t[31 - j]" -> "t[32 - j]" => REFUTED[OG302] t[32 - j]
//   run: OG201 t[32 - j]
