"""Vector addition for any size: four elements per thread by vector accesses, the last ones one by one."""

import optigpu as og
from optigpu.schedules import elementwise

s = og.Script("../../vector_add.c")
elementwise(s, "i")

if __name__ == "__main__":
    s.emit("build/vector_add_fast.cu")
