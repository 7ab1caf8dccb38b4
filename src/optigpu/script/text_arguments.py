"""C text in the arguments of a step: what it names must be declared where the step puts it."""

from __future__ import annotations

import re
from difflib import get_close_matches

from optigpu.syntax.diagnostic import Diagnostic, InputError
from optigpu.syntax.program import Decl, For, Program
from optigpu.syntax.walk import statements

NOT_PARSED = "OG605"  # a step made something that is no program
NOT_DECLARED = "OG100"
MAX_LISTED = 16


def undeclared_in_arguments(e: InputError, arguments: tuple[object, ...], program: Program) -> InputError:
    """If a step made no program because a text among its arguments has a name that is not declared: the error for that name, with
    those of the program. Else the error itself."""
    cause = e.__cause__
    if e.diagnostic.code != NOT_PARSED or not isinstance(cause, InputError) or cause.diagnostic.code != NOT_DECLARED:
        return e
    quoted = re.match(r"`(\w+)`", cause.diagnostic.message)
    name = quoted[1] if quoted else ""
    text = next((x for x in arguments if isinstance(x, str) and name and re.search(rf"\b{name}\b", x)), None)
    if text is None:
        return e
    known: dict[str, None] = {}
    for f in program.functions():
        known |= dict.fromkeys(p.name for p in f.params)
        for s in statements(f.body):
            known |= {s.name: None} if isinstance(s, Decl) else {s.index: None} if isinstance(s, For) else {}
    if name in known:
        return e  # the step took it out of the scope of what uses it
    close = get_close_matches(name, known, 1)
    proposal = f"did you mean `{close[0]}`? " if close else ""
    listed = ", ".join(list(known)[:MAX_LISTED]) + (", …" if len(known) > MAX_LISTED else "")
    d = e.diagnostic
    message = f"`{name}` is not declared" + ("" if name == text else f": `{text}`")
    return InputError(Diagnostic("OG601", message, d.loc, d.labels, d.notes, f"{proposal}there is: {listed or 'none'}"))
