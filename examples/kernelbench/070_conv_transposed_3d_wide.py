import optigpu as og
from optigpu.schedules import tensor_convolution

s = og.Script("070_conv_transposed_3d_wide.c")
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
    tile=(32, 104, 16),
    warp=(32, 8),
)
