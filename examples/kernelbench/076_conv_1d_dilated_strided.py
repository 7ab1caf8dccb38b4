import optigpu as og
from optigpu.schedules import tensor_convolution

s = og.Script("076_conv_1d_dilated_strided.c")
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
    vector_out=False,
)
