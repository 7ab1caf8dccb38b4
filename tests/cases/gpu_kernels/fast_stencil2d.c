// The stencil with guarded vector paths and halos.
// program: examples/gpu/fast/stencil2d.c
// expect: VERIFIED
// also: replay
// mutate: "128 * (bx + 1) < w" -> "128 * (bx + 1) <= w" => UNPROVED[OG302] d_a[top + j][left + 4]
// mutate: "0 < by && " -> "" => UNPROVED[OG302] vload4(&v[q][0], &d_a[top + q - 1][left]);
// mutate: "w % 4 == 0 && " -> "" => UNPROVED[OG353] vload4(&v[q][0], &d_a[top + q - 1][left])
// mutate: "(w + 127)" -> "(w + 126)" (2 times) => REFUTED[OG316] memcpy_device_to_host2(b, d_b, h, w);
// mutate: "v[j + 1][2] + after[j]" -> "v[j + 1][2] + before[j]"
//   => UNPROVED[OG305] b ~> Matrix2(h, w, fun i j -> 0 < i && i < h - 1 && 0 < j && j < w - 1 ? "
// mutate: "left = 128 * bx + 4 * x" -> "left = 128 * by + 4 * x" => REFUTED[OG340] vstore4(&d_b[top + j][left], &r[0]);
