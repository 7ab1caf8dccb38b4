import optigpu as og
from optigpu.schedules import row_total

s = og.Script("095_cross_entropy_loss.c")
row_total(s, "i", loop="c", width="classes", var="sum", result="loss", reductions=["best", "total"])
