import optigpu as og
from optigpu.schedules import row_scan

s = og.Script("089_cumsum.c")
row_scan(s, "i", loop="j", out="y", var="sum")
