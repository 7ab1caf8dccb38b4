"""OptiGPU: fast GPU kernels that are proved right."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

import optigpu.loaded as _loaded  # noqa: F401  # the first module
from optigpu.version import VERSION

__version__ = VERSION

if TYPE_CHECKING:
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
    from optigpu.runtime.built_files import load

__all__ = [
    "Call",
    "Decl",
    "For",
    "Handle",
    "If",
    "In",
    "Read",
    "Script",
    "Settings",
    "StepError",
    "Target",
    "Verifier",
    "Write",
    "audit",
    "check",
    "load",
    "observe",
    "pad",
    "transformation",
]


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
    "audit": "optigpu.checked_files",
    "load": "optigpu.runtime.built_files",
}


def __getattr__(name: str) -> Any:
    """Loaded when asked for: `optigpu.runtime` must import where no solver is installed."""
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
