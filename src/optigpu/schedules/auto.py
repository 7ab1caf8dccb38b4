"""`auto` looks at a program and applies the first schedule that fits it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence

from optigpu.light_dataclass import dataclass
from optigpu.schedules.attention import propose_attention
from optigpu.schedules.convolution import propose_convolution
from optigpu.schedules.elements import elements, propose_elements
from optigpu.schedules.elementwise import elementwise
from optigpu.schedules.matmul import propose_matmul
from optigpu.schedules.memory_bound import MEMORY_BOUND
from optigpu.schedules.proposals import Proposal, Proposer, Unfit
from optigpu.script.handles import Handle, IfBranch
from optigpu.script.step_errors import StepError, at_script_line
from optigpu.script.transformation import require_script, transformation
from optigpu.syntax.diagnostic import Diagnostic, InputError
from optigpu.syntax.program import For as Loop
from optigpu.syntax.program import If, Stmt
from optigpu.syntax.source import NOWHERE
from optigpu.transform.registry import TransformSession
from optigpu.transform.tools.simplified import lit

# In this order: a schedule for fewer programs comes before one for more. The last one makes a thread for each result.
PROPOSERS: tuple[Proposer, ...] = (
    propose_matmul, propose_convolution, propose_attention, *MEMORY_BOUND, propose_elements,
)  # fmt: skip


@dataclass(frozen=True)
class Choice:
    """What `auto` applied: a schedule with its arguments for the whole program, or one for each of its outermost loops. As text,
    the lines of a script that does the same."""

    proposals: tuple[Proposal, ...]
    passed_over: tuple[Unfit, ...] = ()  # schedules that come first in the order, and why they do not fit

    def __str__(self) -> str:
        return "\n".join(map(str, self.proposals))


def auto(s: TransformSession, **options: object) -> Choice:
    """Look at a program, and apply the first schedule that fits it. `options` are for the schedule: `auto(s, precision="tf32x3")`.

    A schedule that is refused, or whose result is rejected, does not fit: nothing is trusted, each is a step that is verified. A
    program with several outermost loops that no schedule fits as a whole gets one for each of them.

    Where the one that fits computes each result in one thread, and others were tried first, a warning says why they failed.

    Returns what was chosen, which prints as the line that a script has instead: `matmul(s, rows="i", cols="j", …)`. In the trace
    that is the title of the step.
    """
    require_script(s)
    loops = [path for path in s.outermost_searched() if isinstance(s.at(path), Loop)]
    found = _first_that_works(s, options)
    if found.proposal is not None:
        return Choice((found.proposal,), found.unfit)
    if len(loops) < 2:
        raise _no_schedule(s, found, s.at(loops[0]) if loops else None)
    handles = [s.handle(path) for path in loops]
    with s.phase("a schedule for each loop"):
        answers = [_applied_to(s, handle, options) for handle in handles]
        s.gpu.stay_on_device()
    return Choice(
        tuple(x.proposal for x in answers if x.proposal is not None), tuple(u for x in answers for u in x.unfit)
    )


@dataclass(frozen=True)
class Search:
    """The first schedule that fits, if there is one, and those before it."""

    proposal: Proposal | None
    unfit: tuple[Unfit, ...]


def proposed(s: TransformSession, options: Mapping[str, object] | None = None) -> list[Proposal | Unfit]:
    """What each schedule says of a program, in the order in which `auto` tries them."""
    answers = [propose(s) for propose in PROPOSERS]
    return [x.with_options(options or {}) if isinstance(x, Proposal) else x for x in answers]


def _first_that_works(s: TransformSession, options: Mapping[str, object], *, versions: bool = True) -> Search:
    """Apply the first schedule that fits. Without `versions`, schedules make one version: data stays on the device between kernels
    that all calls launch."""
    unfit: list[Unfit] = []
    for answer in proposed(s, options):
        if isinstance(answer, Proposal) and not versions and "versions" in answer.accepted:
            answer = answer.with_options({"versions": False})
        if isinstance(answer, Unfit):
            unfit.append(answer)
            continue
        try:
            answer.apply(s)
            _warn_of_slow_choice(answer, unfit)
            return Search(answer, tuple(unfit))
        except (InputError, StepError) as e:
            why = f"{answer} fails: {e.diagnostic.code} {e.diagnostic.message}"
            unfit.append(Unfit(answer.schedule.__name__, why, was_tried=True))
    return Search(None, tuple(unfit))


def _warn_of_slow_choice(answer: Proposal, unfit: Sequence[Unfit]) -> None:
    """Say so if each thread computes its results by itself, and a schedule by which threads share that work was tried."""
    tried = [x.why for x in unfit if x.was_tried and x.schedule != elementwise.__name__]
    if answer.schedule is elements and tried:
        warnings.warn(f"a thread computes each result by itself, {answer}, since {tried[0]}", stacklevel=4)


def _applied_to(s: TransformSession, loop: Handle, options: Mapping[str, object]) -> Search:
    """Apply the first schedule that fits a loop."""
    branch = separate_loop(s, loop)
    with s.inside(branch):
        found = _first_that_works(s, options, versions=False)
    if found.proposal is None:
        raise _no_schedule(s, found, loop.statement())
    join_loop(s, branch)
    return found


@transformation
def separate_loop(s: TransformSession, loop: Handle) -> IfBranch:
    """Put a loop into a branch of its own, of a condition that always holds, so that names in it are told apart from those of
    other loops, whatever steps make of it."""
    path = loop.path()
    s.put(path, If(lit(1), (loop.statement(),)))
    return s.handle(path).then


@transformation
def join_loop(s: TransformSession, branch: IfBranch) -> None:
    """Put what has become of the loop in a branch back in the place of the condition."""
    condition = branch.condition.statement()
    assert isinstance(condition, If)
    s.put(branch.condition.path(), *condition.then)


def _no_schedule(s: TransformSession, found: Search, at: Stmt | None) -> InputError:
    where = NOWHERE if at is None else at.loc
    schedules: dict[str, list[str]] = {}  # by the reason
    for x in found.unfit:
        schedules.setdefault(x.why, []).append(x.schedule)
    notes = tuple((", ".join(dict.fromkeys(names)), why) for why, names in schedules.items())
    error = Diagnostic("OG607", "no schedule fits", where, (), notes, "write the steps, or make a schedule of them")
    return s.refusal(at_script_line(InputError(error), len(s.steps), "auto(s)"))
