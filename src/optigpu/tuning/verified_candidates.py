"""Verifies a candidate: a script of the program, the schedule with the candidate's options, and the CUDA of the result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from optigpu.api import Script, call_signature
from optigpu.light_dataclass import dataclass
from optigpu.runtime.bench import CPU_BYTES, chosen_sizes, fixed_sizes, random_data, shape_of, size_names, total_bytes
from optigpu.runtime.call_error import BuildError, CallError
from optigpu.runtime.manifest import BuiltCuda
from optigpu.runtime.signature import Arguments, ArrayParam, ScalarParam, Signature
from optigpu.script.step_errors import StepError
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.program import Program, Role
from optigpu.syntax.recursion_limit import deep
from optigpu.syntax.types import Kind
from optigpu.tuning.candidate_space import Options, Schedule, Sizes, sizes_text
from optigpu.tuning.measuring_process import outputs_of
from optigpu.tuning.same_outputs import Outputs

ODD_SIZES = (37, 53, 29, 61, 43, 31)  # that no tile divides
LARGER_CASES = 16  # times the usual memory, if the contract allows no smaller sizes


@dataclass(frozen=True)
class TunedProgram:
    """A program as it is sent to processes and workers."""

    program: Program
    function: str | None = None
    integers: str = "machine"

    def script(self) -> Script:
        return Script(self.program, function=self.function, integers=self.integers)

    def signature(self) -> Signature:
        """How the function is called that the schedule makes kernels of."""
        hosts = [f for f in self.program.functions() if f.role is Role.HOST]
        named = [f for f in hosts if f.name == self.function] if self.function is not None else hosts[-1:]
        if not named:
            names = ", ".join(f.name for f in hosts) or "none"
            raise CallError(f"{self.program.file} has no function `{self.function}` (it has: {names})")
        return call_signature(self.program, named[0])


@dataclass(frozen=True)
class Attempt:
    """The verified CUDA of a candidate, or why there is none. `final`: the next attempt would fail in the same way."""

    built: BuiltCuda | None
    failure: str | None
    final: bool = True


@deep
def attempt(program: TunedProgram, schedule: Schedule, options: Options) -> Attempt:
    """Verify a candidate and emit its CUDA. Whatever goes wrong is the failure of this candidate."""
    try:
        s = program.script()
        schedule(s, **options)
        return Attempt(s.built_cuda(), None)
    except StepError as e:
        step = (
            f"step {e.step.number}, {e.step.title:.80}, was rejected" if e.step.number else "the program was rejected"
        )
        return Attempt(None, f"{step}: {e.diagnostic.code}: {e.diagnostic.message}")
    except InputError as e:
        help_ = f" ({e.diagnostic.help})" if e.diagnostic.help else ""
        return Attempt(None, f"{e.diagnostic.code}: {e.diagnostic.message}{help_}")
    except (CallError, BuildError, OSError) as e:
        return Attempt(None, str(e), final=False)
    except MemoryError:
        return Attempt(None, "it needs too much memory", final=False)
    except Exception as e:
        return Attempt(None, f"the schedule raised {type(e).__name__}: {e}")


def require_sizes(signature: Signature, sizes: Sizes) -> None:
    """CallError if these sizes do not decide what the function is called with."""
    scalars = {p.name: p for p in signature.params if isinstance(p, ScalarParam)}
    for name in sizes:
        if name not in scalars:
            raise CallError(f"{signature.name} has no size `{name}` (it has: {', '.join(scalars) or 'none'})")
    known = {**fixed_sizes(signature), **sizes}
    missing = [n for n, p in scalars.items() if n not in known and p.type.kind is not Kind.FLOAT]
    if missing:
        raise CallError(f"the sizes {sizes_text(sizes)} miss `{missing[0]}` of {signature.name}")
    for name, value in sizes.items():
        signature.scalar(scalars[name], value)
    try:
        signature.facts({**dict.fromkeys(scalars, 1.0), **known})
        arrays = [p for p in signature.params if isinstance(p, ArrayParam)]
        if negative := next((p for p in arrays if any(n < 0 for n in shape_of(p, signature, known))), None):
            raise CallError(f"`{negative.name}` would have a negative size")
    except CallError as e:
        raise CallError(f"{signature.name} at {sizes_text(sizes)}: {e}") from None


def whole_sizes(signature: Signature, sizes: Sizes) -> Sizes:
    """The sizes with those that the contract fixes."""
    return {n: int(v) for n, v in sorted({**fixed_sizes(signature), **sizes}.items())}


def plain_results(program: TunedProgram, sizes: Sizes) -> list[tuple[Arguments, Outputs]]:
    """Small inputs, and what the plain program makes of them."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain = program.script().build(program.function)
    cases = []
    for small in small_sizes(plain.signature, sizes):
        inputs = random_data(plain.signature, small)
        bound = {n: v.copy() if isinstance(v, np.ndarray) else v for n, v in inputs.items()}
        result = plain(**bound)
        cases.append((inputs, outputs_of(plain.signature, bound, result)))
    return cases


def small_sizes(signature: Signature, sizes: Mapping[str, int]) -> Iterator[dict[str, float]]:
    """Sizes for a comparison with the plain program: powers of two, and some that no tile divides."""
    names = size_names(signature)
    given: dict[str, float] = {n: v for n, v in sizes.items() if n not in names}
    for most in (CPU_BYTES, CPU_BYTES * LARGER_CASES):
        try:
            yield chosen_sizes(signature, given, most)
            break
        except CallError:
            continue
    scalars = [p for p in signature.params if isinstance(p, ScalarParam)]
    known = {**fixed_sizes(signature), **given}
    free = [p.name for p in scalars if p.name not in known and p.type.kind is not Kind.FLOAT]
    floats = {p.name: 1.0 for p in scalars if p.type.kind is Kind.FLOAT}
    odd = {**floats, **known, **dict(zip(free, ODD_SIZES * len(free)))}
    try:
        signature.facts(odd)
        fits = total_bytes(signature, odd) <= CPU_BYTES * LARGER_CASES
    except CallError:
        return
    if fits and free and any(isinstance(p, ArrayParam) for p in signature.params):
        yield odd
