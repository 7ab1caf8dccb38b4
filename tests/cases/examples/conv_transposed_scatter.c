// Wrong variants of examples/conv_transposed_scatter.c.
// program: examples/conv_transposed_scatter.c
// expect: VERIFIED
// also: replay
// mutate: "i * STRIDE + p" -> "i * 3 + p" => REFUTED[OG326] y[n][o][s] += x[n][c][i] * f[c][o][p];
// mutate: "p * DIL - PAD;" -> "p * DIL - PAD + 1;" => REFUTED[OG305] y ~> Matrix3(batch
// mutate: "s < l2)" -> "s <= l2)" => REFUTED[OG302] y[n][o][s] += x[n][c][i] * f[c][o][p]
// mutate: "s < l2)" -> "s < l2 - 1)" => REFUTED[OG305] y ~> Matrix3(batch
// mutate: "0 <= s && s < l2" -> "s < l2" => REFUTED[OG302] y[n][o][s] += x[n][c][i] * f[c][o][p]
// mutate: "STRIDE < l ?" -> "STRIDE < l - 1 ?" => REFUTED[OG305] y ~> Matrix3(batch
// mutate: "0 <= i + PAD" -> "1 <= i + PAD" => REFUTED[OG305] y ~> Matrix3(batch
// mutate: "(i + PAD - p * DIL) % STRIDE == 0 && " -> "" => REFUTED[OG305] y ~> Matrix3(batch
// mutate: "p < K;" -> "p < K - 1;" => REFUTED[OG305] y ~> Matrix3(batch
// mutate: "int i = 0; i < l;" -> "int i = 1; i < l;" => REFUTED[OG305] y ~> Matrix3(batch
// mutate: "+= x[n][c][i]" -> "= x[n][c][i]" => REFUTED[OG305] y ~> Matrix3(batch
// mutate: "y[n][o][s] +=" -> "y[0][o][s] +=" => REFUTED[OG304] y[0][o][s]
// mutate: "bias[o];" -> "bias[0];" => REFUTED[OG305] y ~> Matrix3(batch
