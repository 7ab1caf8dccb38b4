"""Vector addition in half precision: eight elements per thread, 16 bytes, by vector accesses; the last ones one by one."""

import optigpu as og
from optigpu.schedules import elementwise

s = og.Script("vector_add_half.c")
elementwise(s, "i")

if __name__ == "__main__":
    s.emit("build/vector_add_half.cu")
