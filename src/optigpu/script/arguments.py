"""Checks the arguments of a step against the signature and the type hints of its transformation."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from optigpu.syntax.diagnostic import Diagnostic, InputError
from optigpu.syntax.source import NOWHERE


def check_arguments(
    f: Callable[..., object], session: object, args: tuple[object, ...], kwargs: dict[str, object]
) -> None:
    """Raise OG604 if there are too many or too few arguments, or one does not have its type. The first one is the session."""
    signature, hints = _declared(f)
    try:
        bound = signature.bind(session, *args, **kwargs)
    except TypeError as e:
        raise _wrong_argument(str(e), f"{f.__name__}{_signature_text(signature)}") from None
    for name, value in list(bound.arguments.items())[1:]:
        kind = signature.parameters[name].kind
        values = value if kind is inspect.Parameter.VAR_POSITIONAL else (value,)
        for v in values if name in hints and kind is not inspect.Parameter.VAR_KEYWORD else ():
            if not fits(v, hints[name]):
                annotation = inspect.formatannotation(signature.parameters[name].annotation)
                if isinstance(v, str) and fits([v], hints[name]):
                    raise _wrong_argument(f"`{name}` is a list, and `{v}` is one text", f'{name}=["{v}"]')
                if kind is inspect.Parameter.VAR_POSITIONAL and isinstance(v, list | tuple) and v:
                    several = ", ".join(f'"{x}"' if isinstance(x, str) else repr(x) for x in v)
                    raise _wrong_argument(
                        f"`{name}` are arguments one by one, not a list", f"{f.__name__}({several}, …)"
                    )
                raise _wrong_argument(f"`{name}` cannot be {_value_text(v)}", f"{name}: {annotation}")


def fits(value: object, hint: object) -> bool:
    """Is the value of the type? Types that cannot be looked into accept every value."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return any(fits(value, h) for h in inner)
    if origin in (list, tuple, Sequence):
        if isinstance(value, str) or not isinstance(value, Sequence):
            return False
        if origin is not tuple or inner[-1] is Ellipsis:
            return all(fits(v, inner[0]) for v in value)
        return len(inner) == len(value) and all(fits(v, h) for v, h in zip(value, inner))
    if origin is Mapping:
        return isinstance(value, Mapping) and all(fits(k, inner[0]) and fits(v, inner[1]) for k, v in value.items())
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, hint) if isinstance(hint, type) and hint is not Any else True


@cache
def _declared(f: Callable[..., object]) -> tuple[inspect.Signature, dict[str, object]]:
    try:
        hints = get_type_hints(f)
    except Exception:  # the hints of a user's transformation may use names that only a type checker sees
        hints = {}
    return inspect.signature(f), hints


def _signature_text(signature: inspect.Signature) -> str:
    _, *parameters = signature.parameters.values()
    return str(signature.replace(parameters=parameters, return_annotation=inspect.Signature.empty)).replace("'", "")


def _value_text(value: object) -> str:
    text = value if isinstance(value, str) else type(value).__name__ if callable(value) else repr(value)
    return f"{text:.60}"


def _wrong_argument(message: str, expected: str) -> InputError:
    return InputError(Diagnostic("OG604", message, NOWHERE, help=expected))
