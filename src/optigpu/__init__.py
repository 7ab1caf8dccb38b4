"""OptiGPU: fast GPU kernels that are proved right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import optigpu.loaded as _loaded  # noqa: F401  # the first module
from optigpu.version import VERSION

__version__ = VERSION

if TYPE_CHECKING:
    from optigpu.api import Call, Decl, For, Handle, If, In, Read, Script, StepError, Target, Write, pad, transformation
    from optigpu.decorated_program import PythonProgram, axiom, declare, define, program

__all__ = [
    "Call",
    "Decl",
    "For",
    "Handle",
    "If",
    "In",
    "PythonProgram",
    "Read",
    "Script",
    "StepError",
    "Target",
    "Write",
    "axiom",
    "declare",
    "define",
    "pad",
    "program",
    "transformation",
]


# What programs written in Python use: types, ranges, contracts, functions on numbers.
_WORDS = """program lemma PythonProgram sizes declare define axiom bool_ i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 inf range parallel
    simd doubling halving empty zeros local exact_div quotient remainder requires ensures consumes produces
    preserves writes reads admitted xrequires xensures xconsumes xproduces xpreserves xwrites xreads srequires
    spreserves sreads invariant strict ghost ghost_begin ghost_end assertion with_ sqrt exp exp2 log log2 sin cos
    tanh erf fabs floor ceil rsqrt pow fmax fmin fma expm1 log1p log10 erfc tan sinh cosh asin acos atan atan2 cbrt
    hypot fmod round trunc rint copysign"""
_OF_PROGRAMS = frozenset(_WORDS.split())


def __getattr__(name: str) -> Any:
    """Loaded when asked for: `optigpu.runtime` must import where no solver is installed."""
    if name in _OF_PROGRAMS:
        from optigpu.decorated_program import PROGRAM_EXPORTS

        return PROGRAM_EXPORTS[name]
    if name in __all__:
        import gc

        collecting = gc.isenabled()
        gc.disable()  # what is imported is no garbage
        try:
            from optigpu import api
        finally:
            if collecting:
                gc.enable()
        return getattr(api, name)
    raise AttributeError(f"module 'optigpu' has no attribute {name!r}")
