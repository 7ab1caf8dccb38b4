import optigpu as og
from optigpu import For, Write
from optigpu.schedules import elementwise, total

s = og.Script("037_frobenius_norm.c")
total(s, "i", var="squares", result="norm")
elementwise(s, For("i", body=Write("y")))
s.gpu.stay_on_device()
