import optigpu as og
from optigpu.schedules import elements

s = og.Script("066_conv_3d_asymmetric.c")
elements(s, "n", "o", "i", "j", "k")
