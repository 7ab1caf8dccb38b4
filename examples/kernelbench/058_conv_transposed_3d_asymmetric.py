import optigpu as og
from optigpu.schedules import tensor_convolution

s = og.Script("058_conv_transposed_3d_asymmetric.c")
tensor_convolution(
    s,
    rows="o",
    cols="k",
    inner="c",
    filters="f",
    image="x",
    out="y",
    grid=["n", "i", "j"],
    taps=["p", "q", "r"],
    tile=(16, 72, 16),
    warp=(16, 24),
)
