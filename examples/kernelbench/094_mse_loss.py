import optigpu as og
from optigpu.schedules import total

s = og.Script("094_mse_loss.c")
total(s, "i", var="sum", result="loss")
