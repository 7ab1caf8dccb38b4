"""RMS norm, from nothing to a verified and tuned operator of PyTorch: docs/tutorial.md explains it."""

import optigpu as og

h, w = og.sizes("h w")


@og.program
@og.requires("X: int * int -> float, w > 0 && eps >. 0.0f")
@og.reads("x ~> Matrix2(h, w, X)")
@og.writes("y ~> Matrix2(h, w, fun i j -> X(i, j) / sqrtf(Sum(k in 0..w, X(i, k) * X(i, k)) / w + eps))")
def rms_norm(x: og.f32[h, w], eps: og.f32) -> og.f32[h, w]:
    y = og.empty(og.f32[h, w])
    for i in og.range(h):
        squares = 0.0
        for j in og.range(w):
            squares += x[i, j] * x[i, j]
        root = og.sqrt(squares / w + eps)
        for j in og.range(w):
            y[i, j] = x[i, j] / root
    return y


def fast(s: og.Script, most: int = 1024, threads: int = 128) -> None:
    og.schedules.auto(s, held=[og.schedules.HeldRows(most, threads)])


def operator(tuned: str = "tuned.json") -> object:
    s = og.Script(rms_norm)
    og.apply_tuned(s, fast, tuned)
    return s.build().register("tutorial::rms_norm")


if __name__ == "__main__":
    og.tune(fast, {"most": [1024, 4096], "threads": [128, 256]}, program=rms_norm, sizes={"h": 8192, "w": [1000, 4096]})
