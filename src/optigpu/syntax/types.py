"""Types that contain no expressions: scalars, memory spaces, plain pointers, and the named types of the logic.

Program integers have a machine type; formulas are about mathematical `int` and `real`. Types that contain expressions (arrays with
their sizes, functions, proofs) are in `exprs.py`, because expressions in turn have types.
"""

from __future__ import annotations

from enum import Enum

from optigpu.light_dataclass import dataclass


class Space(Enum):
    """The memory an allocation lives in: `ANY` is host memory, `GMEM` global, `SMEM` shared, `TREG` registers of threads.

    `FRAG` are fragments: matrices in the registers of a warp or of four warps."""

    ANY = "Any"
    GMEM = "GMem"
    SMEM = "SMem"
    TREG = "TReg"
    FRAG = "Frag"


class Kind(Enum):
    BOOL = "bool"
    INT = "int"
    FLOAT = "float"


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number type of C, or, with `bits == 0`, the mathematical type of formulas."""

    name: str
    kind: Kind
    bits: int
    signed: bool = True

    @property
    def low(self) -> int:
        """The least value of an integer type."""
        return -(1 << (self.bits - 1)) if self.signed else 0

    @property
    def high(self) -> int:
        """The greatest value of an integer type."""
        return (1 << (self.bits - (1 if self.signed else 0))) - 1

    @property
    def size(self) -> int:
        """Its size in bytes."""
        return max(1, self.bits // 8)


BOOL = Scalar("bool", Kind.BOOL, 8, False)
INT8 = Scalar("int8_t", Kind.INT, 8)
INT16 = Scalar("int16_t", Kind.INT, 16)
INT = Scalar("int", Kind.INT, 32)
INT64 = Scalar("int64_t", Kind.INT, 64)
UINT8 = Scalar("uint8_t", Kind.INT, 8, False)
UINT16 = Scalar("uint16_t", Kind.INT, 16, False)
UINT = Scalar("unsigned", Kind.INT, 32, False)
UINT64 = Scalar("uint64_t", Kind.INT, 64, False)
FLOAT = Scalar("float", Kind.FLOAT, 32)
DOUBLE = Scalar("double", Kind.FLOAT, 64)
# Types of numbers that are only stored: they are converted to `float` before anything is computed (float_formats.py).
HALF = Scalar("half", Kind.FLOAT, 16)
BF16 = Scalar("bf16", Kind.FLOAT, 16)
TF32 = Scalar("tf32", Kind.FLOAT, 32)
STORED_FLOATS = (HALF, BF16, TF32)

TEMPLATE_ELEMENT = Scalar("T", Kind.FLOAT, 0)  # `T` in the declaration of a built-in template: any element type

LOGIC_INT = Scalar("int", Kind.INT, 0)
LOGIC_REAL = Scalar("float", Kind.FLOAT, 0)
PROP = Scalar("bool", Kind.BOOL, 0, False)

MACHINE_SCALARS = (BOOL, INT8, INT16, INT, INT64, UINT8, UINT16, UINT, UINT64, FLOAT, DOUBLE, *STORED_FLOATS)
SCALAR_NAMES: dict[str, Scalar] = {
    **{t.name: t for t in MACHINE_SCALARS},
    "short": INT16,
    "int32_t": INT,
    "long": INT64,
    "long long": INT64,
    "unsigned int": UINT,
    "uint32_t": UINT,
    "unsigned char": UINT8,
    "unsigned short": UINT16,
    "unsigned long": UINT64,
    "unsigned long long": UINT64,
    "size_t": UINT64,
    "_Bool": BOOL,
}


@dataclass(frozen=True, slots=True)
class Pointer:
    """A pointer as declared, `float* p`. It points to an array whose sizes a contract states."""

    elem: Scalar


@dataclass(frozen=True, slots=True)
class LogicType:
    """A type without parts that no program value has: permissions, ranges, memory spaces, types, and `void`."""

    name: str


VOID = LogicType("void")
HPROP = LogicType("HProp")
RANGE = LogicType("Range")
MEMTYPE = LogicType("MemType")
TYPE = LogicType("Type")
FRACTION = LogicType("_Fraction")  # of a share for reading, which proofs do not count
ELEMENT = LogicType("T")  # in ghosts: the type of the elements of an array that is an argument
POINTER = LogicType("ptr")  # in ghosts: an array of elements of type T
