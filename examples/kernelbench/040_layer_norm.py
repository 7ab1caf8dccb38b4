import optigpu as og
from optigpu.schedules import norm

s = og.Script("040_layer_norm.c")
norm(s, "i", loop="j", sum="sum", squares="squares", input="x", output="y")
