"""What `import optigpu as og` gives: scripts that can emit, build, print and show themselves.

What only some scripts need is imported by them: emission, NumPy, the replaying process, the interpreter, traces.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from optigpu.check.verdict import Counterexample, ProgramResult
from optigpu.check.verify import Settings, Verifier
from optigpu.entry_points import entry_point, explained
from optigpu.frontend.python.python_program import TranslatedProgram
from optigpu.report.diagnostics import PLAIN
from optigpu.report.progress import progress_on
from optigpu.report.scripts import emitted_header, render_step_error
from optigpu.report.verdict_text import render_result
from optigpu.runtime.call_error import CallError
from optigpu.runtime.disk_cache import answers_folder
from optigpu.runtime.files import write_whole
from optigpu.script.call_site import call_site
from optigpu.script.handles import Handle
from optigpu.script.step import Step
from optigpu.script.step_errors import StepError
from optigpu.script.targets import Call, Decl, For, If, In, Read, Target, Write
from optigpu.script.transformation import transformation
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.printer import print_program
from optigpu.syntax.program import CallStmt, Function, Program, Role
from optigpu.syntax.walk import statements
from optigpu.transform.gpu.memory_spaces import pad
from optigpu.transform.registry import TransformSession

if TYPE_CHECKING:
    from optigpu.codegen.cuda import CudaUnit
    from optigpu.codegen.emission import Emission
    from optigpu.runtime.cpu import CFunction
    from optigpu.runtime.cuda import CudaFunction
    from optigpu.runtime.manifest import BuiltCuda
    from optigpu.runtime.signature import Signature

__all__ = [
    "Call", "Decl", "For", "Handle", "If", "In", "Read", "Script", "StepError", "Target", "Write",
    "observe", "pad", "transformation",
]  # fmt: skip

CUDA_SUFFIXES = (".cu", ".cuh")
INTEGERS = ("machine", "unbounded")
Observer = Callable[["Script", Step], None]
_observers: ContextVar[tuple[Observer, ...]] = ContextVar("observers", default=())
_timeout: ContextVar[float | None] = ContextVar("timeout", default=None)
_progress: ContextVar[bool] = ContextVar("progress", default=False)
R = TypeVar("R")


@contextmanager
def observe(observer: Observer) -> Iterator[None]:
    """Call `observer` after every accepted step of every script that runs inside the `with`."""
    token = _observers.set((*_observers.get(), observer))
    try:
        yield
    finally:
        _observers.reset(token)


@contextmanager
def checking(timeout: float | None, progress: bool) -> Iterator[None]:
    """The limit of proofs, and whether progress is shown, for every script that is made inside the `with`."""
    tokens = _timeout.set(timeout), _progress.set(progress)
    try:
        yield
    finally:
        _timeout.reset(tokens[0])
        _progress.reset(tokens[1])


def _verifier(unbounded: bool, timeout: float | None) -> Verifier:
    return Verifier(
        Settings(
            answers_folder(),
            points=True,
            unbounded=unbounded,
            timeout=_timeout.get() if timeout is None else timeout,
            progress=progress_on(sys.stderr, _progress.get()),
        )
    )


def _refuter(program: Program, function: str) -> Counterexample | None:
    from optigpu.interp.refute import refute

    return refute(program, function)


class Script(TransformSession):
    """A program and the steps that optimise it, each verified.

    `s = og.Script("matmul.c")`, then `s.loop.tile("i", 8)`, …; `s.emit("out.c")` writes the result, `s.build()` makes it callable.
    """

    @entry_point
    def __init__(
        self,
        source: str | Path | Program | TranslatedProgram,
        *,
        function: str | None = None,
        integers: str = "machine",
        timeout: float | None = None,
        verifier: Verifier | None = None,
    ) -> None:
        """Read and verify a program: of a C file, or of a function under `@og.program`.

        `integers="unbounded"`: assume that integers fit their types where that is not proved; code and certificate say where.
        `timeout`: a function whose proof takes more seconds is UNPROVED. By default there is no limit.
        """
        if integers not in INTEGERS:
            raise CallError(f"integers is one of {', '.join(map(repr, INTEGERS))}, not {integers!r}")
        if isinstance(source, TranslatedProgram):
            source = source.program
        if isinstance(source, str | Path) and Path(source).suffix == ".py":
            raise CallError(f"{source} is Python: import the function under @og.program from it, og.Script(function)")
        if not isinstance(source, str | Path | Program):
            raise CallError(
                f"a script is of a C file or of a function under @og.program, not of {type(source).__name__}"
            )
        path = source
        if isinstance(source, str | Path) and not Path(source).is_absolute() and not Path(source).exists():
            beside = Path(call_site().file).parent / source  # scripts name files beside themselves
            path = beside if beside.exists() else source
        super().__init__(
            path, function=function, verifier=verifier or _verifier(integers == "unbounded", timeout), refuter=_refuter
        )

    @property
    def result(self) -> ProgramResult:
        """The checker's verdict on the current program; as text, what `optigpu check` prints."""
        result = super().result
        result.as_text = render_result
        return result

    def __repr__(self) -> str:
        count = len(self.accepted.steps) - 1
        state = self.unchecked or ("VERIFIED" if self.result.verified else "NOT VERIFIED")
        return f"<Script of {self.original.file}: {count} step{'s' * (count != 1)}, {state}>"

    @entry_point
    def run_step(self, name: str, body: Callable[[], R], args: tuple[object, ...], kwargs: dict[str, object]) -> R:
        return super().run_step(name, body, args, kwargs)

    def rejection(self, step: Step, result: ProgramResult) -> StepError:
        e = super().rejection(step, result)
        e.rendered = render_step_error(e, PLAIN)
        return e

    def refusal(self, e: InputError) -> InputError:
        return explained(super().refusal(e))

    @entry_point
    def trace(self, path: str | Path = "trace.html") -> Path:
        """Write the trace of the script as one HTML file that opens offline."""
        from optigpu.report.trace import trace_html

        write_whole(path, trace_html(self.record))
        return Path(path)

    @entry_point
    def _repr_html_(self) -> str:
        from optigpu.report.trace import script_repr_html

        return script_repr_html(self.record)

    def stepped(self, step: Step) -> None:
        for observer in _observers.get():
            observer(self, step)

    def print(self, *, plain: bool = False) -> None:
        """Show the program as it is now, with annotations or as plain C."""
        sys.stdout.write(self.text(plain=plain))

    @entry_point
    def text(self, *, plain: bool = False) -> str:
        if not plain:
            return print_program(self.program)
        from optigpu.codegen.c import emit_c

        return emit_c(self.program)

    @entry_point
    def emit(self, path: str | Path) -> Path:
        """Write the verified program, as C (OpenMP where loops are parallel) or CUDA by the name, and its certificate."""
        from optigpu.check.certify import certificate_of
        from optigpu.codegen.emission import c_emission

        target = Path(path)
        program, result = self._finished()
        emission = self._cuda_emission(program) if target.suffix in CUDA_SUFFIXES else c_emission(program)
        text = emission.code(program, _header(emission, program, result))
        target.parent.mkdir(parents=True, exist_ok=True)
        write_whole(target, text)
        write_whole(target.with_suffix(".cert.json"), certificate_of(program, result, emission.to_json()))
        return target

    @entry_point
    def cuda(self, *, blocks_per_multiprocessor: int | None = None) -> CudaUnit:
        """The verified program as CUDA. `blocks_per_multiprocessor` is for all kernels; by default each launch has its own."""
        return self._cuda(*self._finished(), blocks_per_multiprocessor)

    def _cuda(self, program: Program, result: ProgramResult, residents: int | None) -> CudaUnit:
        emission = self._cuda_emission(program, residents)
        return emission.cuda(program, _header(emission, program, result))

    def _cuda_emission(self, program: Program, residents: int | None = None) -> Emission:
        from optigpu.codegen.emission import cuda_emission

        count = len(self.accepted.steps) - 1
        return cuda_emission(program, self.only, count, self.reasons, residents or self.residents)

    @entry_point
    def build(self, function: str | None = None) -> CFunction | CudaFunction:
        """Compile the verified program to a function on NumPy arrays; for a GPU program, on PyTorch and CuPy arrays too."""
        program, result = self._finished()
        if has_kernels(program):
            return verified_cuda(program, self._cuda(program, result, None)).function()
        hosts = [f for f in program.functions() if f.role is Role.HOST]
        if not hosts:
            raise CallError(f"{self.original.file} has no function")
        name = function or self.only or hosts[-1].name
        named = [f for f in hosts if f.name == name]
        if not named:
            raise CallError(f"there is no function `{name}` (there is: {', '.join(f.name for f in hosts)})")
        from optigpu.codegen.c import emit_c
        from optigpu.runtime.cpu import CFunction

        return CFunction(emit_c(program), call_signature(program, named[0]))

    @entry_point
    def built_cuda(self, *, blocks_per_multiprocessor: int | None = None) -> BuiltCuda:
        """What `build` compiles: CUDA text and call signature, which can be saved for a machine that has only the runtime."""
        program, result = self._finished()
        return verified_cuda(program, self._cuda(program, result, blocks_per_multiprocessor))

    def _finished(self) -> tuple[Program, ProgramResult]:
        """The program and its verdict; CallError unless it is verified. Code is made from what this returns alone.

        The verifier and what earlier runs left on disk are not trusted: the proof is replayed in another process."""
        result = self.result
        program = self.program
        unchecked = self.why_unchecked(program)
        if unchecked is not None:
            raise CallError(unchecked)
        from optigpu.check.certify import certificate_of
        from optigpu.check.replay import REPLAYER, ReplayError

        if not result.functions:
            raise CallError(f"{self.original.file} has no function that is verified, so no code is made from it")
        if not result.verified:
            raise CallError("the program is not verified, so no code is made from it")
        try:
            audit = REPLAYER.replay(certificate_of(program, result))
        except (ValueError, ReplayError) as e:
            raise CallError(f"the proof cannot be replayed, so no code is made from it: {e}") from None
        for name, why in audit.failures.items():
            raise CallError(f"the proof of {name} does not hold when it is replayed, so no code is made from it: {why}")
        rests_on = sorted(result.axioms), sorted(result.admitted), sorted(result.unbounded_statements)
        if (audit.axioms, audit.admitted, audit.unbounded) != rests_on:
            raise CallError("the proof rests on something else than its verdict says, so no code is made from it")
        return program, result


def _header(emission: Emission, program: Program, result: ProgramResult) -> list[str]:
    rests_on = result.axioms, result.admitted, result.solver, result.unbounded_statements
    return emitted_header(emission, program, *rests_on)


def verified_cuda(program: Program, unit: CudaUnit) -> BuiltCuda:
    """The CUDA emitted from a verified program, with its call signature."""
    from optigpu.runtime.manifest import BuiltCuda

    signature = call_signature(program, program.function(unit.name))
    alignment = dict(unit.alignment)
    device = unit.device_text, unit.plan
    return BuiltCuda(unit.text, signature, unit.on_device, alignment, *device, True, unit.host_work)


def call_signature(program: Program, function: Function) -> Signature:
    """How a compiled function is called."""
    from optigpu.frontend.parameter_types import effective_types
    from optigpu.runtime.signature import signature_of
    from optigpu.syntax.macro_constants import without_constants
    from optigpu.syntax.unfolding import definitions_of

    f = without_constants(program, function)
    return signature_of(f, effective_types(f), definitions_of(program))


def has_kernels(program: Program) -> bool:
    return any(
        isinstance(s, CallStmt) and s.call.func == "kernel_launch"
        for f in program.functions()
        for s in statements(f.body)
    )
