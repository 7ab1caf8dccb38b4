"""Attention of floats in one kernel, for any number of heads, queries and keys: no score is ever in memory."""

import optigpu as og
from optigpu.schedules import attention

s = og.Script("attention.c")
attention(s)

if __name__ == "__main__":
    s.emit("build/attention.cu")
