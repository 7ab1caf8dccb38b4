"""`@og.program`: Python functions that are programs. They print as C, run as Python, and are called as verified code."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any, overload

from optigpu.api import Script, call_signature
from optigpu.entry_points import entry_point
from optigpu.frontend.python.python_program import TranslatedProgram, add_item, add_logic
from optigpu.frontend.python.python_words import PROGRAM_NAMES
from optigpu.plain_run import RUNNING, bound_arguments, require_arguments, run_plain, sizes_of
from optigpu.runtime.packed_arrays import packed_call
from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.printer import print_program
from optigpu.syntax.program import Role
from optigpu.syntax.source import NOWHERE


class PythonProgram(TranslatedProgram):
    """A function under `@og.program`.

    `f(a)` calls verified code, which is compiled at the first call; `f.python(a)` runs the Python function; `f.c()` is the program
    as annotated C; `og.Script(f)` optimises it.
    """

    def __init__(self, function: FunctionType, size_order: tuple[str, ...] | None) -> None:
        super().__init__(function, program, size_order)
        functools.update_wrapper(self, function, updated=())
        self._compiled: Callable[..., Any] | None = None

    def python(self, /, *args: Any, **kwargs: Any) -> Any:
        """Run the function as Python, on NumPy arrays: to debug it."""
        if not RUNNING.get():
            signature = call_signature(self.program, self.program.function(self.signature.name))
            given = bound_arguments(self, args, kwargs)
            packed = packed_call(signature, (), given, {})
            if packed is not None:
                return packed.run(self.python)
            require_arguments(self, signature, given)
        return run_plain(self, args, kwargs)

    def c(self) -> str:
        """The program as annotated C."""
        return print_program(self.program)

    def __str__(self) -> str:
        return self.c()

    def __repr__(self) -> str:
        names = ", ".join(self.signature.python_params)
        return f"<program {self.signature.name}({names}) of {self.file}:{self.loc.line}>"

    def build(self) -> Callable[..., Any]:
        """The verified and compiled function, of C's parameters. StepError if it is not verified."""
        self.require_unchanged()
        if self._compiled is None:
            self._compiled = Script(self.program).build(self.signature.name)
        return self._compiled

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Call the verified code on NumPy arrays. Sizes follow from shapes; an array that the function returns is made."""
        if RUNNING.get():
            return self.python(*args, **kwargs)
        given = bound_arguments(self, args, kwargs)
        sizes = {} if self.signature.returned is None else sizes_of(self, given)
        return self.build()(**given, **sizes)


@overload
def program(function: FunctionType) -> PythonProgram: ...
@overload
def program(function: Callable[..., Any]) -> PythonProgram: ...
@overload
def program(*, sizes: str) -> Callable[[Callable[..., Any]], PythonProgram]: ...
def program(function: Any = None, *, sizes: str | None = None) -> Any:
    """Make a typed Python function a program.

    `sizes="m n p"`: the order of the sizes as parameters of C; by default that of the annotations.
    """
    if not isinstance(sizes, str | None):
        raise input_error("OG019", "the order of sizes is a text", NOWHERE, help='@og.program(sizes="H W")')
    if function is None:
        return functools.partial(program, sizes=sizes)
    return _decorated(function, None if sizes is None else tuple(sizes.replace(",", " ").split()))


@entry_point
def _decorated(function: Any, size_order: tuple[str, ...] | None) -> PythonProgram:
    made = PythonProgram(function, size_order)
    add_item(function.__globals__, made)
    return made


@entry_point
def lemma(function: FunctionType) -> TranslatedProgram:
    """Make a Python function without parameters a lemma: its contract is proved by its body, and `og.ghost` uses it by its name."""
    made = TranslatedProgram(function, lemma, role=Role.GHOST)
    add_item(function.__globals__, made)
    return made


_add_logic = entry_point(add_logic)


def declare(name: str, type: str) -> None:
    """Declare a logical function: `og.declare("reduce_sum", "int * (int -> float) -> float")`."""
    _add_logic("declare", name, type, sys._getframe(1))


def define(name: str, formula: str) -> None:
    """Define a logical function: `og.define("square", "fun (x: int) -> x * x")`."""
    _add_logic("define", name, formula, sys._getframe(1))


def axiom(name: str, formula: str) -> None:
    """Assume a fact: verdicts, certificates and audits list it."""
    _add_logic("axiom", name, formula, sys._getframe(1))


# What `import optigpu as og` gives for programs.
PROGRAM_EXPORTS: dict[str, object] = {
    **PROGRAM_NAMES,
    **{f.__name__: f for f in (program, lemma, declare, define, axiom, PythonProgram)},
}
