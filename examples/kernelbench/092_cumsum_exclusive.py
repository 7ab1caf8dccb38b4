import optigpu as og
from optigpu.schedules import row_scan

s = og.Script("092_cumsum_exclusive.c")
row_scan(s, "i", loop="j", out="y", var="sum")
