"""Problems of the checker as diagnostics: message and help of the error catalogue, and notes with the facts that matter."""

from __future__ import annotations

from optigpu.errors.catalogue import proof_error
from optigpu.errors.details import Details
from optigpu.errors.problem import Problem
from optigpu.kernel.causes import Cause, MissingPermission, Overlap, WrongValue
from optigpu.kernel.context import NOWHERE
from optigpu.logic.cells import Cells
from optigpu.logic.facts import Facts
from optigpu.logic.names import Origin, source_name
from optigpu.logic.quantifiers import universals
from optigpu.logic.terms import FALSE, Term
from optigpu.report.term_differences import smallest_difference
from optigpu.report.term_text import TermPrinter, is_range_of_type
from optigpu.report.thread_notes import thread_notes
from optigpu.search.search_causes import DataRace, rejection_of
from optigpu.syntax.diagnostic import Diagnostic, Label

MAX_FACTS = 30
LONGEST_FACT = 240  # characters
LONG_VALUES = 120  # characters of what is needed and what is there, from which on their difference is shown
Note = tuple[str, str]
NEXT = "next"  # a note on what to try, where nothing is known to be wrong
OPEN_FLOATS = "over the reals this holds; a machine's floats may be NaN or rounded, so nothing safe rests on them"


def diagnostic_of(p: Problem) -> Diagnostic:
    labels = tuple(Label(loc, text) for loc, text in p.labels)
    if p.message:
        return Diagnostic(p.code, p.message, p.loc, labels)
    printer = TermPrinter()
    details, row = _details(p, printer), proof_error(p.code)
    message = row.message_of(details)
    notes = thread_notes(details, row)
    witnessed = isinstance(p.cause, DataRace) and p.cause.witness is not None
    if not witnessed and not row.draws_levels:
        notes += _notes(details, printer, row.shows_type_ranges, p.floats_open)
    return Diagnostic(p.code, message, p.loc, labels, tuple(notes), row.help_of(details))


def race_message(p: Problem, observed: str) -> str | None:
    """The cell on which a run saw a data race, and why the accesses are unordered; None if the problem is no race."""
    race = None if p.cause is None else proof_error(p.code).race_of(_details(p, TermPrinter()))
    return None if race is None else f"{observed.partition(':')[0]}: {race}"


def _details(p: Problem, printer: TermPrinter) -> Details:
    assert p.cause is not None, "a problem without a message has a cause"
    return Details(p.cause, printer, p.levels, p.sync_line, p.inputs)


def _notes(d: Details, printer: TermPrinter, type_ranges: bool, floats_open: bool) -> list[Note]:
    """Need beside have, and the facts about them."""
    cause, out = rejection_of(d.cause), list[Note]()
    match cause:
        case (
            MissingPermission(need=Cells() as need, have=Cells() as have, at=at) | Overlap(need=need, have=have, at=at)
        ):
            index = "".join(f"[{d.show(e)}]" for e in need.at(at or ())) if at is not None else ""
            out.append(("need", f"{d.base}{index}" if index else printer.cells(need)))
            out.append(("have", printer.cells(have).replace(cause.base, d.base, 1)))
        case WrongValue():
            out.append(("cell", d.base + "".join(f"[{d.show(e)}]" for e in cause.cells.at(cause.at))))
            out.append(("need", d.show(cause.wanted)))
            out.append(("have", d.show(cause.actual)))
            out += _difference(d, cause)
        case Cause(goal=Term() as goal) if goal is not FALSE and NOWHERE not in goal.free:
            out.append(("need", d.show(goal)))
    if floats_open:
        out.append(("floats", OPEN_FLOATS))
    if cause.facts is not None and any(name == "need" for name, _ in out):
        facts = _relevant_facts(cause, cause.facts, printer, type_ranges)
        if facts:
            out.append(("given", ", ".join(facts)))
        out += _next_step(cause, cause.facts)
    return out


def _next_step(cause: Cause, facts: Facts) -> list[Note]:
    """What may help if a fact about all values of something is about functions that the goal is about."""
    values = (cause.actual, cause.wanted) if isinstance(cause, WrongValue) else ()
    wanted = {v for t in (cause.goal, *values) if t is not None for v in t.free if v.sort.args}
    general = [u for f in facts.items if not is_range_of_type(f) for u in universals(f) if u.free & wanted]
    names = sorted(
        {source_name(v.data.stem) for u in general for v in u.free & wanted if v.data.origin is not Origin.FUNCTION}
    )
    if not names:
        return []
    about = f"{' and '.join(names)} may be needed at other terms"
    return [
        (NEXT, f'a fact about all values of {about}: __ASSERT("…") before this states an instance (docs/ghosts.md)')
    ]


def _difference(d: Details, cause: WrongValue) -> list[Note]:
    """The parts in which long values differ, where these are shorter."""
    need, have = d.show(cause.wanted), d.show(cause.actual)
    if len(need) + len(have) < LONG_VALUES:
        return []
    x, y = (d.show(t) for t in smallest_difference(cause.wanted, cause.actual))
    return [("differ", f"{x} is needed where there is {y}")] if 2 * (len(x) + len(y)) < len(need) + len(have) else []


def _relevant_facts(cause: Cause, facts: Facts, printer: TermPrinter, type_ranges: bool) -> list[str]:
    """Facts about the variables of the goal, shortest first; long ones are cut, and only very many are counted."""
    values = (cause.actual, cause.wanted) if isinstance(cause, WrongValue) else ()
    variables = {v for t in (cause.goal, *values) if t is not None for v in t.free}
    about = [f for f in facts.items if not variables or f.free & variables]
    texts = {printer.show(f) for f in about if type_ranges or not is_range_of_type(f)}
    shown = sorted(
        (t if len(t) <= LONGEST_FACT else t[: LONGEST_FACT - 1] + "…" for t in texts), key=lambda t: (len(t), t)
    )
    more = [f"and {len(shown) - MAX_FACTS} more"] if len(shown) > MAX_FACTS else []
    return shown[:MAX_FACTS] + more
