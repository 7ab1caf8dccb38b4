import optigpu as og
from optigpu.schedules import norm

s = og.Script("035_group_norm.c")
norm(s, "n", "g", part="c", loop="p", sum="sum", squares="squares", input="x", output="y")
