"""Vector accesses to elements of every type: emitted, and right on the stand-in; the checker refuses those that are too wide."""

from __future__ import annotations

import numpy as np
import pytest

from optigpu.check.verify import Verifier
from optigpu.codegen.cuda.device_code_printer import VECTOR_TYPES
from optigpu.runtime.nvcc import compile_cuda, nvcc
from optigpu.runtime.signature import DTYPES
from optigpu.runtime.stored_floats import dtype_of
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.float_formats import FORMATS
from optigpu.syntax.types import SCALAR_NAMES
from tests.support.cuda import emitted, on_standin, parsed
from tests.support.verdicts import verdict_of

ROW = """void f(int n, TYPE a[n][8], TYPE b[n][8]) {
  __requires("A: int * int -> LOGIC, n >= 0");
  __reads("a ~> Matrix2(n, 8, A)");
  __writes("b ~> Matrix2(n, 8, A)");
  TYPE* const da = __gmem_malloc2<TYPE>(n, 8);
  TYPE* const db = __gmem_malloc2<TYPE>(n, 8);
  memcpy_host_to_device2(da, a, n, 8);
  kernel_launch(n, COUNT, 0);
  kernel_setup_end();
  thread for (int i = 0; i < n; i++) thread for (int t = 0; t < COUNT; t++) {
    TYPE r[WIDTH];
    vloadWIDTH(&r[0], &da[i][WIDTH * t]);
    vstoreWIDTH(&db[i][WIDTH * t], &r[0]);
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(b, db, n, 8);
  gmem_free(da);
  gmem_free(db);
}
"""
TYPES = sorted(DTYPES)


def program(elem: str, width: int) -> str:
    logic = "bool" if elem == "bool" else "float" if SCALAR_NAMES[elem] in FORMATS else "int"
    return (
        ROW.replace("TYPE", elem).replace("LOGIC", logic).replace("COUNT", str(8 // width)).replace("WIDTH", str(width))
    )


def test_every_type_has_vectors() -> None:
    assert VECTOR_TYPES.keys() == DTYPES.keys() - {"half", "bf16"}  # which have a type of emitted code


@pytest.mark.parametrize("width", [2, 4, 8])
@pytest.mark.parametrize("elem", TYPES)
def test_vectors_are_emitted_or_refused_by_the_checker(elem: str, width: int) -> None:
    text = program(elem, width)
    size = dtype_of(DTYPES[elem]).itemsize
    if size * width > 16 or (width == 8 and size != 2):
        why = "is for numbers of 16 bits" if width == 8 else "bytes: 16 are the most"
        with pytest.raises(InputError, match=why) as e:
            parsed(text)
        assert (e.value.diagnostic.code, e.value.diagnostic.loc.line) == ("OG105", 12)
        return
    assert Verifier().verify(parsed(text)).verified
    a = np.random.default_rng(1).integers(0, 2 if elem == "bool" else 100, (5, 8))
    dtype = dtype_of(DTYPES[elem])
    a = a.astype(np.uint16).view(dtype) if elem == "bf16" else a.astype(dtype)  # any bits do for bfloat16
    b = np.zeros_like(a)
    on_standin(text)(a, b)
    assert np.array_equal(a, b)
    wrong = text.replace(f"vstore{width}(&db[i][{width} * t]", f"vstore{width}(&db[i][{width} * t + 1]")
    assert verdict_of(wrong) == "OG302 13:5"


@pytest.mark.skipif(nvcc() is None, reason="there is no nvcc")
def test_nvcc_takes_vectors_of_small_types() -> None:
    for elem, width in (
        ("int8_t", 4),
        ("uint8_t", 2),
        ("int16_t", 4),
        ("uint16_t", 4),
        ("bool", 4),
        ("int64_t", 2),
        ("uint64_t", 2),
        ("int16_t", 8),
        ("uint16_t", 8),
        ("half", 8),
        ("half", 4),
        ("bf16", 8),
        ("bf16", 2),
        ("tf32", 4),
    ):
        compile_cuda(emitted(program(elem, width)).text, ("90",))
