"""Deliberately broken twins of the examples: one change each, and where the tests must notice it."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Twin:
    example: str
    old: str
    new: str
    code: str
    place: str  # part of the line that is reported
    function: str = ""

    @property
    def name(self) -> str:
        return f"{self.example}-{self.code}-{zlib.crc32((self.old + self.new).encode()) % 1000}"

    def text(self, folder: Path) -> str:
        source = (folder / f"{self.example}.c").read_text(encoding="utf-8")
        assert source.count(self.old) == 1, f"{self.example}: {self.old!r} occurs {source.count(self.old)} times"
        return source.replace(self.old, self.new)

    def __post_init__(self) -> None:
        if not self.function:
            object.__setattr__(self, "function", self.example)


LAST_LOOP = "  for (int i = 0; i < n; i++) {\n    b[i] = t[i] * t[i];\n  }\n"

TWINS = [
    Twin("copy", "i < n", "i <= n", "OG201", "b[i] = a[i]"),
    Twin("copy", "b[i] = a[i]", "b[i] = b[i]", "OG202", "b[i] = b[i]"),
    Twin("copy", "b[i] = a[i]", "a[i] = a[i]", "OG215", "a[i] = a[i]"),
    Twin("copy", "int i = 0", "int i = 1", "OG212", "__writes"),
    Twin("axpy", "+= s * x[i]", "-= s * x[i]", "OG212", "__produces"),
    Twin("vector_add", "a[i] + b[i]", "a[i] - b[i]", "OG212", "__writes"),
    Twin("reverse", "b[n - 1 - i]", "b[n - i]", "OG201", "b[n - i]"),
    Twin("transpose", "b[x][y] = a[y][x]", "b[x][y] = a[x][y]", "OG201", "a[x][y]"),
    Twin("matmul", "float sum = 0.0f", "float sum = 1.0f", "OG212", "__writes"),
    Twin("matmul", "b[k][j]", "b[j][k]", "OG201", "b[j][k]"),
    Twin("matmul_ikj", "c[i][j] = 0.0f", "c[i][i] = 0.0f", "OG212", "__writes"),
    Twin("matmul_ikj", "c[i][j] += a[i][k]", "c[i][j] = a[i][k]", "OG212", "__writes"),
    Twin("row_sums", "    sums[i] = 0.0f;\n", "", "OG212", "__writes"),
    Twin("sum", "i < n", "i < n - 1", "OG212", "__ensures"),
    Twin("sum", "float total = 0.0f", "float total", "OG202", "return total"),
    Twin("dot", "x[i] * y[i]", "x[i] * x[i]", "OG212", "__ensures"),
    Twin("maximum", "fmaxf", "fminf", "OG212", "__ensures"),
    Twin("maximum", ", not_empty: n > 0", "", "OG201", "a[0]"),
    Twin("prefix_sums", "    total += a[i];\n    out[i] = total;", "    out[i] = total;\n    total += a[i];", "OG212", "__writes"),
    Twin("stencil1d", "n >= 2", "n >= 0", "OG201", "b[0] = a[0]"),
    Twin("stencil1d", "/ 3.0f", "/ 2.0f", "OG212", "__writes"),
    Twin("stencil2d", "i < h - 1; i++", "i < h; i++", "OG201", "b[i][j] ="),
    Twin("stencil2d", "+ a[i][j + 1])", "- a[i][j + 1])", "OG212", "__writes"),
    Twin("histogram", "counts[keys[i]] += 1", "counts[keys[i]] = 1", "OG212", "__writes"),
    Twin("histogram", "K(i) < bins", "K(i) <= bins", "OG201", "counts[keys[i]]"),
    Twin("softmax_rows", "/ total", "* total", "OG212", "__writes"),
    Twin("softmax_rows", "float total = 0.0f", "float total = 1.0f", "OG212", "__writes"),
    Twin("relu", "x[i] < 0.0f", "x[i] > 0.0f", "OG212", "__produces"),
    Twin("strided", "int i = 1; i < n; i += 2", "int i = 1; i < n; i += 3", "OG212", "__writes"),
    Twin("strided", "int i = 0; i < n; i += 2", "int i = 0; i <= n; i += 2", "OG201", "a[i] = 0"),
    Twin("countdown", "i >= 0", "i > 0", "OG212", "__writes"),
    Twin("countdown", "int i = n - 1", "int i = n", "OG201", "a[i] = n - i"),
    Twin("tiled_exact", ", divides: n % TILE == 0", "", "OG207", "exact_div"),
    Twin("tiled_guard", "t * TILE + i < n", "t * TILE + i <= n", "OG201", "b[t * TILE + i] ="),
    Twin("tiled_guard", "(n + TILE - 1) / TILE", "n / TILE", "OG212", "__writes"),
    Twin("temporaries", "  free(t);\n", "", "OG205", "MALLOC1"),
    Twin("temporaries", "  free(t);\n", "  free(t);\n  free(t);\n", "OG204", "free(t)"),
    Twin("temporaries", LAST_LOOP + "  free(t);\n", "  free(t);\n" + LAST_LOOP, "OG203", "t[i] * t[i]"),
    Twin("temporaries", "MALLOC1(float, n)", "MALLOC1(float, n - 1)", "OG201", ""),
    Twin("row_call", "const float s = row_sum(w, a[i])", "const float s = row_sum(h, a[i])", "OG211", "row_sum(h"),
    Twin("row_call", "scale_row(w, s, a[i]);", "scale_row(w, s, a[0]);", "OG212", "__produces"),
    Twin("parallel_saxpy", "y[i] = s * x[i] + y[i]", "y[0] = s * x[i] + y[0]", "OG210", "y[0] ="),
    Twin("parallel_saxpy", "y[i] = s * x[i] + y[i]", "y[i] = s * x[i] + y[n - 1 - i]", "OG210", "y[i] ="),
    Twin("reduce", "i < N", "i <= N", "OG201", "sum += arr[i]"),
]  # fmt: skip
