import optigpu as og
from optigpu.schedules import tensor_convolution

s = og.Script("061_conv_transposed_3d_square.c")
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
    tile=(48, 64, 16),
    warp=(48, 16),
)
