import optigpu as og
from optigpu.schedules import tensor_convolution

s = og.Script("078_conv_transposed_2d_padded.c")
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
    tile=(32, 256, 16),
    warp=(32, 32),
    resident=3,
)
