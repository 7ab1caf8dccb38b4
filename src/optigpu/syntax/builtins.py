"""Tables of the built-in functions of programs and formulas: mathematics, index helpers, memory, kernels and threads."""

from __future__ import annotations

from optigpu.light_dataclass import dataclass
from optigpu.syntax.annotations import MAX_DIMENSIONS
from optigpu.syntax.exprs import FunType, Type
from optigpu.syntax.types import DOUBLE, FLOAT, HPROP, LOGIC_INT, MEMTYPE, PROP, RANGE, LogicType, Scalar

# Mathematical functions on floats: name -> number of arguments. `expf` and `exp` are the same function on reals.
REAL_FUNCTIONS: dict[str, int] = {
    "sqrt": 1, "exp": 1, "exp2": 1, "log": 1, "log2": 1, "sin": 1, "cos": 1, "tanh": 1, "erf": 1, "fabs": 1, "floor": 1, "ceil": 1,
    "rsqrt": 1, "pow": 2, "fmax": 2, "fmin": 2, "fma": 3,
}  # fmt: skip
# Others, whose names may also be those of variables: a program may have a loop over `round`.
MORE_REAL_FUNCTIONS: dict[str, int] = {
    "expm1": 1, "log1p": 1, "log10": 1, "erfc": 1, "tan": 1, "sinh": 1, "cosh": 1, "asin": 1, "acos": 1, "atan": 1, "atan2": 2,
    "cbrt": 1, "hypot": 2, "fmod": 2, "round": 1, "trunc": 1, "rint": 1, "copysign": 2,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class MathFunction:
    real_name: str  # its name as a function on reals
    arity: int
    type: Scalar


MATH: dict[str, MathFunction] = {
    name + suffix: MathFunction(name, arity, t)
    for suffix, t in (("", DOUBLE), ("f", FLOAT))
    for name, arity in (REAL_FUNCTIONS | MORE_REAL_FUNCTIONS).items()
}
# CUDA's faster and less accurate functions: name -> the function of C that they stand for, which other machines compute.
FAST_MATH: dict[str, str] = {
    f"__{name}": name for name in ("expf", "logf", "log2f", "log10f", "sinf", "cosf", "tanf", "powf")
}
MATH |= {fast: MATH[name] for fast, name in FAST_MATH.items()}
MORE_MATH = frozenset(name + suffix for name in MORE_REAL_FUNCTIONS for suffix in ("", "f"))

# Functions on all numbers, and on integers only: name -> number of arguments.
NUMERIC: dict[str, int] = {"min": 2, "max": 2, "abs": 1}
INTEGER: dict[str, int] = {"exact_div": 2}
# In formulas only: `wrap32(e)` is e modulo 2^32, the value of e in an unsigned type of 32 bits. Name -> bits.
WRAPS: dict[str, int] = {f"wrap{bits}": bits for bits in (8, 16, 32, 64)}
REAL_CONSTANTS = ("INFINITY",)
INT_CONSTANTS: dict[str, int] = {"INT_MAX": 2**31 - 1, "INT_MIN": -(2**31)}


def index_helper(name: str) -> tuple[str, int] | None:
    """("MINDEX", 2) for `MINDEX2`, and likewise MSIZEn and DMINDEXn."""
    for stem in ("DMINDEX", "MINDEX", "MSIZE"):
        suffix = name[len(stem) :]
        if name.startswith(stem) and suffix.isdigit() and 0 < int(suffix) <= MAX_DIMENSIONS:
            return stem, int(suffix)
    return None


# Other spellings of calls that are statements.
SPELLINGS: dict[str, str] = {
    "kernel_start": "kernel_launch",
    "kernel_end": "kernel_kill",
    "__gmem_free": "gmem_free",
    "__syncthreads": "blocksync",
    "__syncwarp": "warpsync",
}
# name -> number of integer arguments
CONTROL_CALLS: dict[str, int] = {
    "kernel_launch": 3, "kernel_setup_end": 0, "kernel_teardown_begin": 0, "kernel_teardown_sync": 0, "kernel_kill": 0,
    "blocksync": 0, "warpsync": 0, "magic_barrier": 0, "pipeline_wait": 0,
}  # fmt: skip
# Collective operations of a warp, `shfl_down(dst, src, d)` and the like: `dst[l]` and `src[l]` are registers of lane l.
SHUFFLES = frozenset({"shfl_down", "shfl_up", "shfl_xor", "shfl"})
WARP_SIZE = 32
# Accesses to adjacent cells by one instruction, `vload4(&r[0], &a[4 * i])`: name -> (number of cells, direction)
VECTOR_CALLS: dict[str, tuple[int, str]] = {f"v{way}{n}": (n, way) for way in ("load", "store") for n in (2, 4, 8)}
VECTOR_BYTES = 16  # of the widest access
# Products of tiles, `mma(c, a, b, depth)`: c(i, j) += sum of a(i, k) * b(k, j). `mma_nt` takes b as b(j, k), `mma_tn` a as a(k, i).
# Name -> whether the left and the right factor are transposed in that way.
TILE_PRODUCTS: dict[str, tuple[bool, bool]] = {
    "mma": (False, False), "mma_nt": (False, True), "mma_tn": (True, False), "mma_tt": (True, True),
}  # fmt: skip
# `frag_row_sum(v, c)` adds all c(i, j) of a row to v(i). Name -> operator.
ROW_REDUCTIONS: dict[str, str] = {f"frag_row_{op}": op for op in ("sum", "max", "min")}
# `tile_load(t, a, i, j)`: a tile of a from element (i, j) on, with zeros outside of a; there is an index for each dimension of a.
TILE_COPY = "tile_load"
TILE_CALLS = frozenset({*TILE_PRODUCTS, *ROW_REDUCTIONS, TILE_COPY})
WIDEST_VECTOR = 8  # cells, of 2 bytes each


def is_vector(width: int, t: Scalar) -> bool:
    """Whether one instruction accesses so many cells of a type."""
    return width * t.size == VECTOR_BYTES if width == WIDEST_VECTOR else width * t.size <= VECTOR_BYTES


# name -> (number of arrays, number of integers)
MEMORY_CALLS: dict[str, tuple[int, int]] = {
    "free": (1, 0),
    "gmem_free": (1, 0),
    **{f"__smem_free{n}": (1, n) for n in range(1, MAX_DIMENSIONS + 1)},
    **{f"memcpy_host_to_device{n}": (2, n) for n in range(1, MAX_DIMENSIONS + 1)},
    **{f"memcpy_device_to_host{n}": (2, n) for n in range(1, MAX_DIMENSIONS + 1)},
    **{f"memcpy_device_to_device{n}": (2, n) for n in range(1, MAX_DIMENSIONS + 1)},
    **dict.fromkeys(sorted(SHUFFLES), (2, 1)),
    **dict.fromkeys(VECTOR_CALLS, (2, 0)),
    **dict.fromkeys(TILE_PRODUCTS, (3, 1)),
    **dict.fromkeys(ROW_REDUCTIONS, (2, 0)),
    TILE_COPY: (2, 2),
}
# `atomicAdd(&a[i], v);` is `a[i] += v`, by many threads at once: a `Store` with the name as its operator. Name -> C's operator, or
# the function that combines the two numbers.
ATOMICS: dict[str, str] = {
    "atomicAdd": "+", "atomicMin": "min", "atomicMax": "max", "atomicAnd": "&", "atomicOr": "|", "atomicXor": "^",
}  # fmt: skip
# `__gmem_get(&x)` is `x`, `__gmem_set(&x, v)` is `x = v`, for memory of that space. Name -> space.
GETTERS: dict[str, str] = {"__gmem_get": "GMem", "__smem_get": "SMem", "__treg_get": "TReg"}
SETTERS: dict[str, str] = {"__gmem_set": "GMem", "__smem_set": "SMem", "__treg_set": "TReg"}

BUILTIN_NAMES = frozenset(
    {*MATH, *NUMERIC, *INTEGER, *CONTROL_CALLS, *MEMORY_CALLS, *ATOMICS, *GETTERS, *SETTERS, *SPELLINGS}
)

# Functions of C's library. Compilers evaluate calls of these numeric functions themselves, even where the program defines another
# function of that name (C11, 7.1.3; C23 has more of them), and replace loops that fill or copy memory by calls of the others.
_MATH_LIBRARY = """acos asin atan atan2 tan acosh asinh atanh cosh sinh exp10 expm1 frexp ilogb llogb ldexp log10 log1p logb
modf scalbn scalbln cbrt hypot erfc lgamma tgamma lgamma_r gamma_r nearbyint rint lrint llrint round lround llround roundeven
trunc fmod remainder remquo copysign nan nans nextafter nexttoward nextup nextdown fdim j0 j1 jn y0 y1 yn gamma significand drem
scalb pow10 sincos isinf isnan finite signbit acospi asinpi atanpi atan2pi cospi sinpi tanpi exp2m1 exp10m1 log2p1 log10p1 logp1
compoundn pown powr rootn fmaximum fminimum fmaximum_num fminimum_num fmaximum_mag fminimum_mag fmaximum_mag_num
fminimum_mag_num canonicalize"""
_OTHER_LIBRARY = """labs llabs imaxabs ffs ffsl ffsll abort exit _exit quick_exit malloc calloc realloc alloca putchar
isfinite isnormal isalnum isalpha isascii isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit
toascii tolower toupper memset memcpy memmove memcmp mempcpy bcmp bcopy bzero"""
_OF_TYPES = ("", "f", "l", "f16", "f32", "f64", "f128", "f32x", "f64x", "f128x", "d32", "d64", "d128")
LIBRARY_NAMES = frozenset(
    {name + suffix for name in (*_MATH_LIBRARY.split(), *REAL_FUNCTIONS) for suffix in _OF_TYPES}
    | {*_OTHER_LIBRARY.split()}
)


def is_compiler_builtin(name: str) -> bool:
    """Whether compilers may give a function of this name a meaning of their own: reserved names, OpenMP's and the library's."""
    reserved = name.startswith(("__", "GOMP_", "omp_")) or (name[:1] == "_" and name[1:2].isupper())
    return reserved or name in LIBRARY_NAMES


# Tokens: permissions that are not about memory cells. Name -> types of the arguments.
TOKENS: dict[str, tuple[Type, ...]] = {
    "HostCtx": (), "KernelSetupCtx": (), "KernelTeardownCtx": (),
    "KernelParams": (LOGIC_INT, LOGIC_INT, LOGIC_INT),
    "SMemAllowance": (LOGIC_INT,),
    "ThreadsCtx": (RANGE,),
}  # fmt: skip
MEMORY_TYPES = ("Any", "GMem", "SMem", "TReg", "Frag")
# Predicates on memory types, `fM` in `Sync(fM, H)`: name -> the types that satisfy it. Programs can declare others.
MEMORY_PREDICATES: dict[str, tuple[str, ...]] = {"block_sync_mem": ("GMem", "SMem")}
MEMORY_PREDICATE = FunType((MEMTYPE,), PROP)


@dataclass(frozen=True, slots=True)
class MatrixPredicate:
    """`Matrix2`, `UninitMatrix2`, `Cells2`, and `Matrix2Of` and the like, which have a memory space after the sizes."""

    rank: int
    contents: str  # "values", "uninit" or "cells"
    with_space: bool


def matrix_predicate(name: str) -> MatrixPredicate | None:
    """The predicate of this name: `MatrixN`, `UninitMatrixN`, `CellsN`, or one of them with `Of`."""
    for stem, contents in (("UninitMatrix", "uninit"), ("Matrix", "values"), ("Cells", "cells")):
        if not name.startswith(stem):
            continue
        rest = name[len(stem) :]
        with_space = rest.endswith("Of")
        digits = rest.removesuffix("Of")
        if digits.isdigit() and 0 < int(digits) <= MAX_DIMENSIONS:
            return MatrixPredicate(int(digits), contents, with_space)
    return None


RESULT_NAME = "_Res"
CELL_TARGETS = ("UninitCell", "Cell")
FORMULA_NAMES = frozenset(
    {
        *TOKENS,
        *MEMORY_TYPES,
        *MEMORY_PREDICATES,
        *CELL_TARGETS,
        *INT_CONSTANTS,
        *REAL_CONSTANTS,
        *WRAPS,
        RESULT_NAME,
        "If",
        "Free",
        "Sync",
        "in_range",
    }
)
TOKEN_TYPE: LogicType = HPROP
