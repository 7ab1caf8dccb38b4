import optigpu as og
from optigpu.schedules import elements

s = og.Script("068_conv_transposed_3d_asymmetric_kernel.c")
elements(s, "n", "o", "i", "j", "k")
