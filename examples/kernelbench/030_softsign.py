import optigpu as og
from optigpu.schedules import elementwise

s = og.Script("030_softsign.c")
elementwise(s, "i")
