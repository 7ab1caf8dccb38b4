// The stencil with a halo in shared memory.
// program: examples/gpu/stencil2d.c
// expect: VERIFIED
// also: replay
// mutate: "      blocksync();\n" -> "" => REFUTED[OG341] s[y][x + 1]
// mutate: "x == 15 &&" -> "x == 14 &&"
//   => REFUTED[OG305] b ~> Matrix2(h, w, fun i j -> 0 < i && i < h - 1 && 0 < j && j < w - 1 "
// mutate: "s[y + 1][0] = d_a[i][j - 1]" -> "s[0][y + 1] = d_a[i][j - 1]" => REFUTED[OG340] s[y + 1][x + 1] = d_a[i][j];
// mutate: "(h + 15)" -> "(h + 14)" (2 times) => REFUTED[OG316] memcpy_device_to_host2(b, d_b, h, w);
