import optigpu as og

K = 3
STRIDE = 2
PAD = 1
DIL = 2
batch, inputs, outputs, l, l2 = og.sizes("batch inputs outputs l l2")


@og.program(sizes="batch inputs outputs l l2")
@og.requires("X: int * int * int -> float, F: int * int * int -> float, B: int -> float")
@og.reads("x ~> Matrix3(batch, inputs, l, X), f ~> Matrix3(inputs, outputs, K, F), bias ~> Matrix1(outputs, B)")
@og.writes("""y ~> Matrix3(batch, outputs, l2, fun n o i -> B(o) + Sum(c in 0..inputs, p in 0..K,
    0 <= i + PAD - p * DIL && (i + PAD - p * DIL) % STRIDE == 0 && (i + PAD - p * DIL) / STRIDE < l ?
    X(n, c, (i + PAD - p * DIL) / STRIDE) * F(c, o, p) : 0.0f))""")
def conv_transposed_scatter(
    x: og.f32[batch, inputs, l], f: og.f32[inputs, outputs, K], bias: og.f32[outputs], y: og.f32[batch, outputs, l2]
):
    """Transposed convolution as PyTorch defines it: each input is spread over the outputs that it reaches."""
    for n in og.range(batch):
        for o in og.range(outputs):
            for i in og.range(l2):
                y[n, o, i] = bias[o]
        for c in og.range(inputs):
            for i in og.range(l):
                for o in og.range(outputs):
                    for p in og.range(K):
                        s = i * STRIDE + p * DIL - PAD
                        if 0 <= s < l2:
                            y[n, o, s] += x[n, c, i] * f[c, o, p]
