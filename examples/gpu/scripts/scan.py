"""Inclusive prefix sums for any size: blocks scan tiles of 4096, a second kernel computes prefix offsets, a third adds them."""

import optigpu as og
from optigpu import For

s = og.Script("../../prefix_sums.c")
tiles = s.reduce.scan("i", 4096, outer="b", sums="sums", before="base")
s.reduce.scan(tiles / For("i"), 16, outer="t", sums="part", before="own")
s.loop.tile(tiles.offsets, 256, outer="g", tail="guard")
s.loop.tile(tiles.result / For("i"), 256, outer="j")
s.gpu.launch(grid=["b"], block=["t"], shared=["part"], registers={"own": 1}, at=tiles.tile_sums)
s.gpu.launch(grid=["g"], block=["b"])
s.gpu.launch(grid=["b"], block=["i"], at=tiles.result)
s.gpu.stay_on_device()

if __name__ == "__main__":
    s.emit("build/scan.cu")
