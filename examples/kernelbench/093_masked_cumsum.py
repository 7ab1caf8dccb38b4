import optigpu as og
from optigpu import Write
from optigpu.schedules import row_scan

s = og.Script("093_masked_cumsum.c")
s.reduce.select(Write("sum"))
s.variable.bind(Write("sum"), "element", "x[i][j]")  # loaded before the mask is known
row_scan(s, "i", loop="j", out="y", var="sum")
