"""Matrix multiply of any size on tensor cores, with the accuracy of floats: each factor is split into two TF32 numbers."""

import optigpu as og
from optigpu.schedules import matmul

s = og.Script("../../matmul.c")
matmul(s, precision="tf32x3")
