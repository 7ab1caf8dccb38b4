"""Programs with tiles, fragments and pipelined loops: their arrays, and their emitted text on the stand-in, also broken."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from optigpu.codegen.cuda import emit_cuda
from optigpu.frontend.parameter_types import effective_types
from optigpu.light_dataclass import dataclass
from optigpu.runtime.call_error import CallError
from optigpu.runtime.cuda import CudaFunction
from optigpu.runtime.signature import signature_of
from optigpu.runtime.stored_floats import dtype_of
from optigpu.syntax.float_formats import FORMATS
from optigpu.syntax.macro_constants import without_constants
from optigpu.syntax.program import Program
from optigpu.syntax.types import SCALAR_NAMES
from tests.support.cuda import parsed

WITHOUT_WGMMA = "#define OPTIGPU_STANDIN_WITHOUT_WGMMA\n"
BOTH_FORMS = pytest.mark.parametrize("capability", ["8", "9"])  # without and with bulk copies


def both_capabilities(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Runs of the stand-in without and with bulk copies."""
    for capability in "89":
        monkeypatch.setenv("OPTIGPU_STANDIN_CAPABILITY", capability)
        yield


def filled(text: str, **values: object) -> str:
    """The text with values in place of words."""
    for word, value in values.items():
        assert word in text, word
        text = text.replace(word, str(value))
    return text


def stored(name: str, numbers: NDArray[Any]) -> NDArray[Any]:
    """These numbers as an array of a type of programs; those of `bf16` are cut off after 8 digits."""
    if name != "bf16":
        types = {"half": np.float16, "int": np.int32, "uint8_t": np.uint8, "double": np.float64}
        return numbers.astype(types.get(name, np.float32))
    bits = (numbers.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return bits.view(dtype_of(FORMATS[SCALAR_NAMES[name]].in_arrays))


def as_floats(name: str, array: NDArray[Any]) -> NDArray[np.float64]:
    if name != "bf16":
        return array.astype(np.float64)
    return (array.view(np.uint16).astype(np.uint32) << 16).view(np.float32).astype(np.float64)


def unset(name: str, *shape: int) -> NDArray[Any]:
    """An array of NaN."""
    return stored(name, np.full(shape, np.nan, np.float32))


def small_integers(seed: int, *shape: int) -> NDArray[np.float32]:
    """Numbers whose products and sums are exact in all types."""
    return np.random.default_rng(seed).integers(-3, 4, shape).astype(np.float32)


def of_text(program: Program, text: str, *, races: bool = True) -> CudaFunction:
    """A text like the one that is emitted for a program, on the stand-in."""
    unit = emit_cuda(program)
    f = without_constants(program, program.function(unit.name))
    signature = signature_of(f, effective_types(f))
    return CudaFunction(text, signature, on_device=unit.on_device, alignment=unit.alignment, standin=True, races=races)


def without_wgmma(source: str | Program, *, races: bool = True) -> CudaFunction:
    """The emitted text on a stand-in whose tensor cores multiply for one warp at a time."""
    program = parsed(source) if isinstance(source, str) else source
    return of_text(program, WITHOUT_WGMMA + emit_cuda(program).text, races=races)


@dataclass(frozen=True)
class Fault:
    """A piece of emitted code, and a wrong one in its place; `which` of several such pieces, all of them by default."""

    right: str
    wrong: str
    which: tuple[int, ...] = ()


class FaultyText:
    """An emitted text compiled once, in which one fault at a time can be switched on: by an `if` where it is a statement,
    and elsewhere by a conditional expression."""

    def __init__(self, program: Program, faults: Mapping[str, Fault], *, before: str = "") -> None:
        self.numbers = {name: n for n, name in enumerate(faults, 1)}
        text = emit_cuda(program).text
        places: dict[tuple[int, str], list[str]] = {}
        for name, fault in faults.items():
            found = list(_occurrences(text, fault.right))
            assert found, f"{name}: `{fault.right}` is not in the text"
            for at in [found[n] for n in fault.which] or found:
                places.setdefault((at, fault.right), []).append(name)
        for (at, right), names in sorted(places.items(), reverse=True):
            code = f"{{ {right} }}" if right.endswith(";") else f"({right})"
            for name in names:
                wrong, number = faults[name].wrong, self.numbers[name]
                if right.endswith(";"):
                    code = f"if (fault == {number}) {{ {wrong} }} else {code}"
                else:
                    code = f"(fault == {number} ? ({wrong}) : {code})"
            text = text[:at] + code + text[at + len(right) :]
        self.call = of_text(program, f'{before}extern "C" {{ int fault = 0; }}\n{text}')
        self._switch = ctypes.c_int.in_dll(ctypes.CDLL(str(self.call.path)), "fault")

    def failure(self, name: str, *args: Any, **arrays: Any) -> str:
        """What a call with a fault ends with; empty if it ends well. With no name, there is no fault."""
        self._switch.value = self.numbers.get(name, 0)
        try:
            self.call(*args, **arrays)
        except CallError as e:
            return str(e)
        finally:
            self._switch.value = 0
        return ""


def _occurrences(text: str, piece: str) -> Iterable[int]:
    at = text.find(piece)
    while at >= 0:
        yield at
        at = text.find(piece, at + 1)
