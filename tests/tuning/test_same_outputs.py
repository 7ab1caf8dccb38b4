"""When two runs have the same results."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from optigpu.runtime.call_error import CallError
from optigpu.runtime.signature import ArrayParam, ScalarParam, Signature
from optigpu.syntax.types import SCALAR_NAMES
from optigpu.tuning import same_outputs
from optigpu.tuning.same_outputs import checked_cases, difference, write_cases

NAN, INF = float("nan"), float("inf")


def floats(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


@pytest.mark.parametrize(
    ("a", "b", "text"),
    [
        (floats(1, 2), floats(1, 2.001), None),
        (floats(1, 2), floats(1, 2.1), "`y`[1] is 2.1"),
        (floats(0, 1000), floats(0.5, 1000), None),  # rounding of a sum of large numbers
        (floats(0, 1), floats(0.5, 1), "`y`[0] is 0.5 instead of 0"),
        (floats(NAN, INF), floats(NAN, INF), None),
        (floats(NAN, 1), floats(1, 1), "`y`[0] is 1 instead of nan"),
        (floats(1, INF), floats(1, -INF), "`y`[1]"),
        (floats(1, 2), floats(1, NAN), "`y`[1] is nan"),
        (floats(), floats(), None),
        (np.arange(4).reshape(2, 2), np.array([[0, 1], [5, 3]]), "`y`[1, 0] is 5 instead of 2"),
        (np.arange(4), np.arange(4), None),
        (floats(1, 2), floats(1, 2, 3), "`y` has another shape"),
    ],
)
def test_results_agree_up_to_rounding(a: np.ndarray, b: np.ndarray, text: str | None) -> None:
    found = difference({"y": a}, {"y": b})
    assert found is None if text is None else text in (found or "")


def test_all_elements_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(same_outputs, "CHUNK", 8)
    a = np.ones(100, np.float32)
    for at in (0, 7, 8, 99):
        b = a.copy()
        b[at] = 2
        assert f"[{at}]" in (difference({"y": a}, {"y": b}) or "")


def test_cases_are_kept_in_a_file(tmp_path: Path) -> None:
    f32, i32 = SCALAR_NAMES["float"], SCALAR_NAMES["int"]
    signature = Signature("f", (ScalarParam("n", i32), ArrayParam("y", f32, (None,), True)), None, (), ())
    file = tmp_path / "f.cases.npz"
    write_cases(file, [({"n": 2, "y": floats(0, 0)}, {"y": floats(1, 2)})])
    ((inputs, expected),) = checked_cases(file, signature)
    assert inputs["n"] == 2 and type(inputs["n"]) is int and (expected["y"] == floats(1, 2)).all()
    other = Signature("f", (ScalarParam("m", i32),), None, (), ())
    with pytest.raises(CallError, match="belongs to another program"):
        list(checked_cases(file, other))
    file.write_bytes(b"PK\x03\x04 no archive")
    with pytest.raises(CallError, match="is not what `optigpu tune` writes"):
        list(checked_cases(file, signature))
