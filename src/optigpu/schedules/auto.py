"""`auto` looks at a program and applies the first schedule that fits it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from optigpu.light_dataclass import dataclass
from optigpu.schedules.convolution import propose_convolution
from optigpu.schedules.elements import propose_elements
from optigpu.schedules.matmul import propose_matmul
from optigpu.schedules.proposals import Proposal, Proposer, Unfit
from optigpu.script.handles import Handle
from optigpu.script.step_errors import StepError, at_script_line
from optigpu.script.targets import For, Target
from optigpu.syntax.diagnostic import Diagnostic, InputError
from optigpu.syntax.program import For as Loop
from optigpu.syntax.program import Stmt
from optigpu.syntax.source import NOWHERE
from optigpu.transform.registry import TransformSession

# In this order: a schedule for fewer programs comes before one for more. The last one makes a thread for each result.
PROPOSERS: tuple[Proposer, ...] = (
    propose_matmul,
    propose_convolution,
    propose_elements,
)


@dataclass(frozen=True)
class Choice:
    """What `auto` applied: for each outermost loop, or for the whole program (then the place is None), a schedule with its
    arguments. As text, the lines of a script that does the same."""

    parts: tuple[tuple[Target | None, Proposal], ...]

    @property
    def proposals(self) -> tuple[Proposal, ...]:
        return tuple(proposal for _, proposal in self.parts)

    def __str__(self) -> str:
        if len(self.parts) == 1:
            return str(self.parts[0][1])
        lines = [f"with s.inside({place}):\n    {proposal}" for place, proposal in self.parts]
        return "\n".join([*lines, "s.gpu.stay_on_device()"])


def auto(s: TransformSession, **options: object) -> Choice:
    """Look at a program, and apply the first schedule that fits it. `options` are for the schedule: `auto(s, precision="tf32x3")`.

    A schedule that is refused, or whose result is rejected, does not fit: nothing is trusted, each is a step that is verified. A
    program with several outermost loops that no schedule fits as a whole gets one for each of them.

    Returns what was chosen, which prints as the line that a script has instead: `matmul(s, rows="i", cols="j", …)`. In the trace
    that is the title of the step.
    """
    paths = [path for path in s.outermost_searched() if isinstance(s.at(path), Loop)]
    found = _first_that_works(s, options)
    if isinstance(found, Proposal):
        return Choice(((None, found),))
    if len(paths) < 2:
        raise at_script_line(_no_schedule(found, s.at(paths[0]) if paths else None), len(s.steps), "auto(s)")
    loops = [s.handle(path) for path in paths]
    with s.phase("a schedule for each loop"):
        parts = tuple(_applied_to(s, loop, options) for loop in loops)
        s.gpu.stay_on_device()
    return Choice(parts)


def proposed(s: TransformSession, options: Mapping[str, object] | None = None) -> list[Proposal | Unfit]:
    """What each schedule says of a program, in the order in which `auto` tries them."""
    answers = [propose(s) for propose in PROPOSERS]
    return [x.with_options(options or {}) if isinstance(x, Proposal) else x for x in answers]


def _first_that_works(s: TransformSession, options: Mapping[str, object]) -> Proposal | list[Unfit]:
    """Apply the first schedule that fits, or say why none does."""
    unfit: list[Unfit] = []
    for answer in proposed(s, options):
        if isinstance(answer, Unfit):
            unfit.append(answer)
            continue
        try:
            answer.apply(s)
            return answer
        except (InputError, StepError) as e:
            unfit.append(Unfit(answer.schedule.__name__, f"{answer} fails: {e.diagnostic.message}"))
    return unfit


def _applied_to(s: TransformSession, loop: Handle, options: Mapping[str, object]) -> tuple[Target, Proposal]:
    """Apply the first schedule that fits a loop."""
    outer = loop.statement()
    assert isinstance(outer, Loop)
    matches = s.find_all(For(outer.index))
    place = For(outer.index) if len(matches) == 1 else For(outer.index).nth(matches.index(loop.path()))
    with s.inside(loop):
        found = _first_that_works(s, options)
    if not isinstance(found, Proposal):
        raise at_script_line(_no_schedule(found, outer), len(s.steps), f"auto(s), inside {place}")
    return place, found


def _no_schedule(unfit: Sequence[Unfit], at: Stmt | None) -> InputError:
    where = NOWHERE if at is None else at.loc
    notes = tuple((x.schedule, x.why) for x in unfit)
    return InputError(
        Diagnostic("OG607", "no schedule fits", where, (), notes, "write the steps, or make a schedule of them")
    )
