"""Attention in bfloat16 on tensor cores, in one kernel, for any number of heads, queries and keys."""

import optigpu as og
from optigpu.schedules import attention

s = og.Script("attention_bf16.c")
attention(s)

if __name__ == "__main__":
    s.emit("build/attention_bf16.cu")
