import optigpu as og
from optigpu import Write
from optigpu.schedules import row_scan

s = og.Script("093_masked_cumsum.c")
s.reduce.select(Write("sum"))
row_scan(s, "i", loop="j", out="y", var="sum")
