import optigpu as og
from optigpu.schedules import norm

s = og.Script("033_batch_norm.c")
norm(s, "c", part="n", loop="p", sum="sum", squares="squares", input="x", output="y")
