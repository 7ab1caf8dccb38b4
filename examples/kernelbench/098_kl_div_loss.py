import optigpu as og
from optigpu.schedules import row_total

s = og.Script("098_kl_div_loss.c")
row_total(s, "i", loop="j", width="w", var="sum", result="loss")
