"""OptiGPU: fast GPU kernels that are proved right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import optigpu.loaded as _loaded  # noqa: F401  # the first module
from optigpu.version import VERSION

__version__ = VERSION

if TYPE_CHECKING:
    from optigpu.api import Call, Decl, For, Handle, If, In, Read, Script, StepError, Target, Write, pad, transformation

__all__ = [
    "Call",
    "Decl",
    "For",
    "Handle",
    "If",
    "In",
    "Read",
    "Script",
    "StepError",
    "Target",
    "Write",
    "pad",
    "transformation",
]


def __getattr__(name: str) -> Any:
    """Loaded when asked for: `optigpu.runtime` must import where no solver is installed."""
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
