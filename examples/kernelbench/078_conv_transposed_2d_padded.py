import optigpu as og
from optigpu.schedules import elements

s = og.Script("078_conv_transposed_2d_padded.c")
elements(s, "n", "o", "i", "j")
