"""Problems of the checker as diagnostics: message and help of the error catalogue, and notes with the facts that matter."""

from __future__ import annotations

from typing import Any

from optigpu.check.problem import Problem
from optigpu.errors.catalogue import proof_error
from optigpu.errors.details import Details
from optigpu.logic.cells import Cells
from optigpu.logic.facts import Facts
from optigpu.logic.terms import FALSE, Term
from optigpu.report.term_text import TermPrinter, is_range_of_type
from optigpu.report.thread_notes import thread_notes
from optigpu.syntax.diagnostic import Diagnostic, Label

MAX_FACTS = 6
LONGEST_FACT = 90  # characters
Note = tuple[str, str]
OPEN_FLOATS = "over the reals this holds; a machine's floats may be NaN or rounded, so nothing safe rests on them"


def diagnostic_of(p: Problem) -> Diagnostic:
    labels = tuple(Label(loc, text) for loc, text in p.labels)
    if p.message:
        return Diagnostic(p.code, p.message, p.loc, labels)
    printer = TermPrinter()
    details, row = Details(p.data, printer), proof_error(p.code)
    message = row.message_of(details)
    notes = thread_notes(details, row)
    if not p.data.get("witness") and not row.draws_levels:
        notes += _notes(details, printer, row.shows_type_ranges)
    return Diagnostic(p.code, message, p.loc, labels, tuple(notes), row.help_of(details))


def race_message(p: Problem, seen: str) -> str | None:
    """The cell on which a run saw a data race, and why the accesses are unordered; None if the problem is no race."""
    race = proof_error(p.code).race_of(Details(p.data, TermPrinter()))
    return None if race is None else f"{seen.partition(':')[0]}: {race}"


def _notes(d: Details, printer: TermPrinter, type_ranges: bool) -> list[Note]:
    """Need beside have, and the facts about them."""
    data, out = d.data, list[Note]()
    need, at = data.get("need"), data.get("at")
    if isinstance(need, Cells) and isinstance(data.get("have"), Cells):
        index = "".join(f"[{d.show(e)}]" for e in need.at(at or ())) if at is not None else ""
        out.append(("need", f"{d.base}{index}" if index else printer.cells(need)))
        out.append(("have", printer.cells(data["have"]).replace(str(data["base"]), d.base, 1)))
    elif data.get("found") is not None:
        cells = data.get("cells")
        if isinstance(cells, Cells) and at is not None:
            out.append(("cell", d.base + "".join(f"[{d.show(e)}]" for e in cells.at(at))))
        out.append(("need", d.show(data["wanted"])))
        out.append(("have", d.show(data["found"])))
    elif isinstance(data.get("goal"), Term) and data["goal"] is not FALSE:
        out.append(("need", d.show(data["goal"])))
    if data.get("floats") == "open":
        out.append(("floats", OPEN_FLOATS))
    facts = data.get("facts")
    if facts is not None and any(name == "need" for name, _ in out):
        given = _relevant_facts(d, facts, printer, type_ranges)
        if given:
            out.append(("given", ", ".join(given)))
    return out


def _relevant_facts(d: Details, facts: Facts, printer: TermPrinter, type_ranges: bool) -> list[str]:
    """Facts about the variables of the goal, shortest first."""
    terms: tuple[Any, ...] = (d.data.get("goal"), d.data.get("found"), d.data.get("wanted"))
    variables = {v for t in terms if isinstance(t, Term) for v in t.free}
    about = [f for f in facts.items if not variables or f.free & variables]
    texts = {printer.show(f) for f in about if type_ranges or not is_range_of_type(f)}
    return sorted((t for t in texts if len(t) < LONGEST_FACT), key=lambda t: (len(t), t))[:MAX_FACTS]
