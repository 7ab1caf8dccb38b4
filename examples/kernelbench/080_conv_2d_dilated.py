import optigpu as og
from optigpu.schedules import tensor_convolution

s = og.Script("080_conv_2d_dilated.c")
tensor_convolution(
    s,
    rows="o",
    cols="j",
    inner="c",
    filters="f",
    image="x",
    out="y",
    grid=["n", "i"],
    taps=["p", "q"],
    tile=(64, 128, 16),
    warp=(32, 32),
    resident=3,
)
