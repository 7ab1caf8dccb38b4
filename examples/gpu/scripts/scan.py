"""Inclusive prefix sums for any size: blocks scan tiles of 4096, a second kernel computes prefix offsets, a third adds them."""

import optigpu as og
from optigpu import For, Write

s = og.Script("../../prefix_sums.c")
s.reduce.scan("i", 4096, outer="b", sums="sums", before="base")
s.reduce.scan(For("i").first, 16, outer="t", sums="part", before="own")
s.loop.tile(For("b", body=Write("base")), 256, outer="g", tail="guard")
s.loop.tile(For("i").last, 256, outer="j")
s.gpu.launch(grid=["b"], block=["t"], shared=["part"], registers={"own": 1}, at=For("b").first)
s.gpu.launch(grid=["g"], block=["b"])
s.gpu.launch(grid=["b"], block=["i"], at=For("b").last)
s.gpu.stay_on_device()

if __name__ == "__main__":
    s.emit("build/scan.cu")
