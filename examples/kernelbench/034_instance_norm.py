import optigpu as og
from optigpu.schedules import norm

s = og.Script("034_instance_norm.c")
norm(s, "n", "c", loop="p", sum="sum", squares="squares", input="x", output="y")
