"""OptiGPU: fast GPU kernels that are proved right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import optigpu.loaded as _loaded  # noqa: F401  # the first module
from optigpu.version import VERSION

__version__ = VERSION

if TYPE_CHECKING:
    from optigpu.api import Call, Decl, For, Handle, If, In, Read, Script, StepError, Target, Write, pad, transformation
    from optigpu.tuning.tuned_versions import apply_tuned, tuned
    from optigpu.tuning.tuning_run import tune

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
    "apply_tuned",
    "pad",
    "transformation",
    "tune",
    "tuned",
]
_TUNING = {"apply_tuned": "tuned_versions", "tune": "tuning_run", "tuned": "tuned_versions"}  # in optigpu.tuning


def __getattr__(name: str) -> Any:
    """Loaded when asked for: `optigpu.runtime` must import where no solver is installed."""
    if name in __all__:
        import gc

        collecting = gc.isenabled()
        gc.disable()  # what is imported is no garbage
        try:
            if name in _TUNING:
                from importlib import import_module

                return getattr(import_module(f"optigpu.tuning.{_TUNING[name]}"), name)
            from optigpu import api
        finally:
            if collecting:
                gc.enable()
        return getattr(api, name)
    raise AttributeError(f"module 'optigpu' has no attribute {name!r}")
