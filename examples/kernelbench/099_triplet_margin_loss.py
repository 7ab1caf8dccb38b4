import optigpu as og
from optigpu.schedules import row_total

s = og.Script("099_triplet_margin_loss.c")
row_total(s, "i", loop="j", width="w", var="sum", result="loss", reductions=["near", "far"])
