"""Transpose for any size: 64 x 64 tiles through padded shared memory; tiles of unaligned rows start with a sector of memory."""

import optigpu as og
from optigpu.schedules import transpose

s = og.Script("../../transpose.c")
transpose(s, read_along="x", write_along="y", input="a", output="b")

if __name__ == "__main__":
    s.emit("build/transpose_fast.cu")
