import optigpu as og
from optigpu.schedules import row_scan

s = og.Script("090_cumprod.c")
row_scan(s, "i", loop="j", out="y", var="product")
