import optigpu as og

s = og.Script("global_shift.c")
s.gpu.launch(grid=["i"], block=["j"])
