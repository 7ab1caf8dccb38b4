"""Problems of the checker as diagnostics: one sentence, need beside have, the few facts that matter, and what to do."""

from __future__ import annotations

from typing import Any

from optigpu.check.verdict import Problem
from optigpu.logic.cells import Cells
from optigpu.logic.facts import Facts
from optigpu.logic.terms import FALSE, Term, subterms
from optigpu.report.term_text import is_range_of_type
from optigpu.report.thread_problem_text import LEVELLED, ThreadWriter
from optigpu.syntax.diagnostic import Diagnostic, Label
from optigpu.syntax.types import MACHINE_SCALARS, Kind

MAX_FACTS = 6
LIMITS = {(t.low, t.high): t.name for t in MACHINE_SCALARS if t.kind is Kind.INT}
OF_RANGES = ("OG313", "OG336")  # problems for which it matters which numbers a type has
WITHOUT_VALUE = {  # why a part of a formula may have none
    "division": ("this divides by what may be zero", "exclude zero"),
    "domain": ("this function may have no real number as its value here", "give the range"),
    "exact_div": ("this division is not shown to be exact", "say that it is"),
    "bits": ("bit operations and shifts take numbers that are not negative", "give the range"),
    "empty": ("this range may be empty, and then there is no greatest or least of it", "exclude that"),
    "model": ("the array that holds these values may have no such cell", "give the range"),
}
OF_THREADS = frozenset(f"OG{n}" for n in range(340, 355))


def diagnostic_of(p: Problem) -> Diagnostic:
    labels = tuple(Label(loc, text) for loc, text in p.labels)
    if p.message:
        return Diagnostic(p.code, p.message, p.loc, labels)
    writer = _Writer(p)
    return Diagnostic(p.code, writer.message(), p.loc, labels, tuple(writer.notes()), writer.help())


class _Writer(ThreadWriter):
    def message(self) -> str:
        b = f"`{self.base}`" if self.base else "this"
        if self.p.code in OF_THREADS:
            return self.thread_message(b)
        why = self.p.data.get("why", "")
        match self.p.code:
            case "OG302":
                if self.p.data.get("index") is None and self.p.data.get("why") == "no memory":
                    return f"{b} is not held here: it has been freed, or the contract does not mention it"
                return f"this access of {b} is not shown to stay within the cells that are held"
            case "OG303":
                return f"{b} is written, but the contract only reads it"
            case "OG304":
                return f"{b} is read where it may not have been written"
            case "OG305":
                return f"{b} does not hold what the contract promises"
            case "OG306":
                return f"not all cells of {b} that the contract promises have been written"
            case "OG307":
                return "this promise of the contract is not shown to hold"
            case "OG308":
                return f"{b} is not given back or freed: a leak"
            case "OG309" if why == "freed":
                return f"{b} comes from outside the loop and is freed in each iteration"
            case "OG309":
                return f"{b} is not an allocation that can be freed here"
            case "OG310":
                return "this divisor may be zero"
            case "OG333":
                return "this function may have no real number as its value here"
            case "OG334":
                return "this array may have no elements"
            case "OG335":
                return "this pointer may lie outside its array"
            case "OG311":
                return "the division is not shown to be exact"
            case "OG312":
                return "bit operations take numbers that are not negative"
            case "OG313":
                return "this value may be outside its type, which changes it"
            case "OG336":
                name = LIMITS.get(self.p.data.get("limits", (0, 0)))
                return f"this number may not fit {'its type' if name is None else f'`{name}`'}: it would overflow"
            case "OG314":
                return f"the size of {b} may be negative"
            case "OG315":
                return "a precondition of the called function is not shown to hold"
            case "OG316":
                what = {"value": "hold what", "init": "be written as"}.get(str(why), "be held as")
                return f"{b} is not shown to {what} the called function requires"
            case "OG317":
                return f"the sizes of {b} are not those that the called function declares"
            case "OG318":
                side = "before the loop" if self.p.data.get("rule") == "loop" else "at the end of the loop's body"
                return f"the invariant of this loop for {b} is not shown to hold {side}"
            case "OG319":
                return f"the effect of this loop on {b} follows no known law: it needs an invariant"
            case "OG320":
                return f"the two branches leave {b} in different hands"
            case "OG321":
                return "this assertion is not shown to hold"
            case "OG322":
                return (
                    f"what is said here of {b} is not shown to hold"
                    if self.base
                    else "what is said here is not shown to hold"
                )
            case "OG323":
                return f"the contract may claim a cell of {b} twice"
            case "OG324":
                return f"the iterations of this parallel loop are not independent: they share {b}"
            case "OG325":
                return "the step of this loop is not shown to be positive"
            case "OG326":
                return f"two iterations may write the same cell of {b}"
            case "OG332":
                return f"the contract claims cells of {b} that are not shown to lie within its declared sizes"
            case "OG330":
                return f"`{self.p.data.get('function')}` is called, but it is not verified itself"
            case "OG360":
                return f"no input satisfies the precondition of `{self.p.data['function']}`: {self.p.data['text']}"
            case "OG361":
                return f"a part of this formula may have no value: {WITHOUT_VALUE[self.undefined()][0]}"
            case "OG331":
                return f"no value was found for the logical variable `{self.p.data.get('name')}` of the called function"
            case _:
                return f"the checker could not go on here ({self.p.data.get('rule')}: {why})"

    def undefined(self) -> str:
        """Why a part of a formula has no value."""
        return str(self.p.data["why"]).removeprefix("undefined ")

    def notes(self) -> list[tuple[str, str]]:
        out: list[tuple[str, str]] = self.thread_notes()
        data = self.p.data
        if data.get("witness") or self.p.code in LEVELLED:
            return out
        need, at = data.get("need"), data.get("at")
        if isinstance(need, Cells) and isinstance(data.get("have"), Cells):
            index = "".join(f"[{self.show(e)}]" for e in need.at(at or ())) if at is not None else ""
            out.append(("need", f"{self.base}{index}" if index else self.printer.cells(need)))
            out.append(("have", self.printer.cells(data["have"]).replace(str(data["base"]), self.base, 1)))
        elif data.get("found") is not None:
            cells = data.get("cells")
            if isinstance(cells, Cells) and at is not None:
                out.append(("cell", self.base + "".join(f"[{self.show(e)}]" for e in cells.at(at))))
            out.append(("need", self.show(data["wanted"])))
            out.append(("have", self.show(data["found"])))
        elif isinstance(data.get("goal"), Term) and data["goal"] is not FALSE:
            out.append(("need", self.show(data["goal"])))
        if data.get("floats") == "open":
            out.append(
                (
                    "floats",
                    "over the reals this holds; a machine's floats may be NaN or rounded, so nothing safe rests on them",
                )
            )
        facts = data.get("facts")
        if facts is not None and any(name == "need" for name, _ in out):
            shown = self.relevant(facts, data)
            if shown:
                out.append(("given", ", ".join(shown)))
        return out

    def relevant(self, facts: Facts, data: dict[str, Any]) -> list[str]:
        """Facts about what the goal speaks of, shortest first."""
        goal = data.get("goal")
        wanted = set(goal.free) if isinstance(goal, Term) else set()
        for t in (data.get("found"), data.get("wanted")):
            wanted |= t.free if isinstance(t, Term) else set()
        about = [i for i in facts.items if not wanted or i.free & wanted]
        texts = [self.printer.show(i) for i in about if self.p.code in OF_RANGES or not is_range_of_type(i)]
        return sorted({t for t in texts if len(t) < 90}, key=lambda t: (len(t), t))[:MAX_FACTS]

    def help(self) -> str | None:
        data = self.p.data
        match self.p.code:
            case "OG302":
                return "compare the loop's bounds with the sizes in the contract, or add a __requires"
            case "OG303":
                return f'__consumes("{self.base} ~> …") and __produces("{self.base} ~> …") instead of __reads'
            case "OG304":
                return f"write {self.base} before this, or initialise it"
            case "OG306":
                return "does the loop reach every index, and every size?"
            case "OG308":
                return f"free({self.base}), or give it back with __produces"
            case "OG310":
                return "add a __requires that excludes zero, or guard it with if"
            case "OG311":
                return self.divides(data.get("goal"))
            case "OG336":
                return "add a bound to the contract, or use a wider type (int64_t)"
            case "OG312" | "OG313" | "OG314" | "OG333" | "OG334" | "OG335":
                return "add a __requires that gives the range"
            case "OG319":
                return f'__spreserves("&{self.base} ~~> value at the start of iteration i") in the loop'
            case "OG320":
                return "allocate before the if and free after it, or do both in both branches"
            case "OG324" | "OG326":
                return "remove the pragma, or give each iteration its own cells"
            case "OG360":
                return "change one of these: what no input satisfies proves anything"
            case "OG361":
                what = WITHOUT_VALUE[self.undefined()][1]
                return f"{what} with a condition around it (c ? a : b, c ==> P, a range) or with a __requires"
            case "OG331":
                return "let a permission of its contract name it, as in Matrix1(n, A)"
            case _:
                return self.thread_help()

    def divides(self, goal: Any) -> str | None:
        """`exact_div(a, b)` needs a fact `a % b == 0`."""
        if isinstance(goal, Term):
            for t in (a for a in subterms(goal) if a.op == "fdiv"):
                return f'__requires("{self.show(t.args[0])} % {self.show(t.args[1])} == 0")'
        return None
