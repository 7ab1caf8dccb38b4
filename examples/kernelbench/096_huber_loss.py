import optigpu as og
from optigpu.schedules import total

s = og.Script("096_huber_loss.c")
total(s, "i", var="sum", result="loss")
