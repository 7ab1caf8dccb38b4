import optigpu as og
from optigpu.schedules import tensor_convolution

s = og.Script("074_conv_transposed_1d_dilated.c")
tensor_convolution(
    s,
    rows="o",
    cols="i",
    inner="c",
    filters="f",
    image="x",
    out="y",
    grid=["n"],
    taps=["p"],
    tile=(64, 128, 16),
    warp=(32, 32),
)
