// The transpose with shifted, aligned windows.
// program: examples/gpu/fast/transpose_aligned.c
// expect: VERIFIED
// also: replay
// mutate: "      blocksync();\n" -> "" => REFUTED[OG341] tile[x + 8 - shift][ROWS * j + y]
// mutate: "64 * by + x - shift < H" -> "64 * by + x - shift <= H"
//   => REFUTED[OG302] d_b[64 * bx + ROWS * j + y][64 * by + x - shift] = tile[x + 8 - shift][ROWS * j + y];
// mutate: "tile[x + 8 - shift][ROWS * j + y]" -> "tile[ROWS * j + y][x + 8 - shift]"
//   => REFUTED[OG302] tile[ROWS * j + y][x + 8 - shift]
// mutate: "kernel_launch(((H + 70) / 64)" -> "kernel_launch(((H + 69) / 64)"
//   => UNPROVED[OG347] thread for (int by = 0; by < (H + 70) / 64; by++)
// mutate: "(H + 70)" -> "(H + 63)" (2 times) => UNPROVED[OG316] memcpy_device_to_host2(b, d_b, W, H);
// mutate: "tile[72][65]" -> "tile[71][65]" => REFUTED[OG302] tile[ROWS * j + y][x] = r[j];
