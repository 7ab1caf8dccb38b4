import optigpu as og
from optigpu.schedules import tensor_convolution

s = og.Script("068_conv_transposed_3d_asymmetric_kernel.c")
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
    tile=(64, 72, 16),
    warp=(64, 24),
)
