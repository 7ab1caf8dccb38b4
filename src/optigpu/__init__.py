"""OptiGPU: fast GPU kernels that are proved right."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

import optigpu.loaded as _loaded  # noqa: F401  # the first module
from optigpu.version import VERSION

__version__ = VERSION

if TYPE_CHECKING:
    from optigpu import schedules as schedules
    from optigpu.api import (
        Call,
        Decl,
        For,
        Handle,
        If,
        In,
        Read,
        Script,
        StepError,
        Target,
        Write,
        observe,
        pad,
        transformation,
    )  # fmt: skip
    from optigpu.check.verify import Settings, Verifier
    from optigpu.checked_files import audit, check
    from optigpu.decorated_program import PythonProgram, axiom, declare, define, program
    from optigpu.runtime.built_files import load
    from optigpu.tuning.tuned_versions import apply_tuned, tuned
    from optigpu.tuning.tuning_run import tune

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
    "Settings",
    "StepError",
    "Target",
    "Verifier",
    "Write",
    "apply_tuned",
    "audit",
    "axiom",
    "check",
    "declare",
    "define",
    "load",
    "observe",
    "pad",
    "program",
    "transformation",
    "tune",
    "tuned",
]

# What programs written in Python use: types, ranges, contracts, functions on numbers.
_WORDS = """program lemma PythonProgram sizes declare define axiom bool_ i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 tf32 f32 f64
    inf range parallel simd doubling halving empty zeros local exact_div quotient remainder requires ensures consumes produces
    preserves writes reads admitted xrequires xensures xconsumes xproduces xpreserves xwrites xreads srequires
    spreserves sreads invariant strict ghost ghost_begin ghost_end assertion with_ sqrt exp exp2 log log2 sin cos
    tanh erf fabs floor ceil rsqrt pow fmax fmin fma expm1 log1p log10 erfc tan sinh cosh asin acos atan atan2 cbrt
    hypot fmod round trunc rint copysign"""
_OF_PROGRAMS = frozenset(_WORDS.split())


class _Checker(ModuleType):
    """The package of the checker, which has the name of the function `og.check`: called, it is that function."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        from optigpu.checked_files import check

        return check(*args, **options)


class _Package(ModuleType):
    """This package. The import of its package `check` sets an attribute, which must not hide the function."""

    @property
    def check(self) -> ModuleType:
        from importlib import import_module

        package = import_module("optigpu.check")
        package.__class__ = _Checker
        return package

    @check.setter
    def check(self, package: ModuleType) -> None:
        package.__class__ = _Checker


sys.modules[__name__].__class__ = _Package

# Where names are that need less than scripts do, or more.
_HOMES = {
    "Settings": "optigpu.check.verify",
    "Verifier": "optigpu.check.verify",
    "apply_tuned": "optigpu.tuning.tuned_versions",
    "audit": "optigpu.checked_files",
    "load": "optigpu.runtime.built_files",
    "tune": "optigpu.tuning.tuning_run",
    "tuned": "optigpu.tuning.tuned_versions",
}


def __getattr__(name: str) -> Any:
    """Loaded when asked for: `optigpu.runtime` must import where no solver is installed."""
    if name == "schedules":  # a package of ours, which needs no import of its own
        from importlib import import_module

        return import_module("optigpu.schedules")
    if name in _OF_PROGRAMS:
        from optigpu.decorated_program import PROGRAM_EXPORTS

        return PROGRAM_EXPORTS[name]
    if name in __all__:
        import gc

        collecting = gc.isenabled()
        gc.disable()  # what is imported is no garbage
        try:
            from importlib import import_module

            return getattr(import_module(_HOMES.get(name, "optigpu.api")), name)
        finally:
            if collecting:
                gc.enable()
    raise AttributeError(f"module 'optigpu' has no attribute {name!r}")
