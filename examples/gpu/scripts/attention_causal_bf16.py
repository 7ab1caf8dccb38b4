"""Causal attention in bfloat16 on tensor cores: blocks of later queries, which have more keys, come first."""

import optigpu as og
from optigpu.schedules import attention

s = og.Script("attention_causal_bf16.c")
attention(s)

if __name__ == "__main__":
    s.emit("build/attention_causal_bf16.cu")
