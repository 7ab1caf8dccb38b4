"""From targets to paths of statements. No match, or more than were asked for, is an error that lists the candidates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import get_close_matches

from optigpu.light_dataclass import replace
from optigpu.script import targets
from optigpu.script.editing import StatementPath, is_valid_path
from optigpu.script.handles import Handle, find_statement, headline
from optigpu.script.target_matching import matches, written_name
from optigpu.script.targets import Pattern, Target, TargetLike
from optigpu.syntax.diagnostic import Diagnostic, InputError, Label
from optigpu.syntax.program import Decl, For, Program, Role, Stmt, Store
from optigpu.syntax.source import NOWHERE
from optigpu.syntax.walk import statements

# What a bare name means where a statement of a kind is wanted: the first of these that matches.
MEANINGS_OF_NAME: dict[str, tuple[Callable[[str], Target], ...]] = {
    "for": (targets.For,),
    "read": (targets.Read,),
    "decl": (targets.Decl,),
    "call": (targets.Call,),
    "write": (targets.Write, targets.For, targets.Decl, targets.Call),
    "any": (targets.For, targets.Decl, targets.Write, targets.Call),
}
KIND_WORDS = {
    "for": "loop",
    "write": "write",
    "read": "read",
    "decl": "declaration",
    "call": "call",
    "if": "if",
    "any": "statement",
}
MAX_CANDIDATES_SHOWN = 12


def resolve(
    program: Program, functions: Sequence[str], target: TargetLike, kind: str, many: bool = False
) -> list[StatementPath]:
    """The statements that a target stands for; one, unless `many` or the target says `all`."""
    if isinstance(target, StatementPath):
        if not is_valid_path(program, target):
            help = "a handle stays good: s.handle(place)"
            raise _error("OG601", "this place is not in the program any more", help=help)
        return [target]
    if isinstance(target, Handle):
        return [find_statement(program, target.id)]
    if isinstance(target, str):
        target = _named(program, functions, target, kind)
    if not isinstance(target, Target) or not target.well_formed:
        raise _error("OG604", f"{target!r} is not a target", help="a name, For(…), Write(…), …, or a handle")
    names = functions if target.function is None else (target.function,)
    by_name = {f.name: f for f in program.functions()}
    if target.function is not None and target.function not in by_name:
        raise _error("OG601", f"there is no function `{target.function}`", help=f"functions: {', '.join(by_name)}")
    candidates = [m for n in names if n in by_name for m in matches(target, by_name[n])]
    if not candidates:
        raise _no_match(program, names, target)
    if target.which == "all" or many:
        return [path for path, _ in candidates]
    return [_chosen(target, candidates)]


def _chosen(target: Target, candidates: Sequence[tuple[StatementPath, Stmt]]) -> StatementPath:
    """The candidate that the target selects."""
    count = len(candidates)
    if isinstance(target.which, int):
        if not -count <= target.which < count:
            raise ambiguous("OG601", f"{target} asks for more than there are: {count}", candidates)
        return candidates[target.which][0]
    if count > 1:
        raise ambiguous("OG602", f"{target} is ambiguous: {count} places fit", candidates)
    return candidates[0][0]


def _named(program: Program, functions: Sequence[str], name: str, kind: str) -> Target:
    """The target that a bare name stands for."""
    if kind not in MEANINGS_OF_NAME:
        raise _error("OG604", f"{kind!r} is not a kind of statement", help=f"one of {', '.join(MEANINGS_OF_NAME)}")
    searched = [f for f in program.functions() if f.name in functions]
    options = [make(name) for make in MEANINGS_OF_NAME[kind]]
    return next((t for t in options if any(matches(t, f) for f in searched)), options[0])


def _no_match(program: Program, names: Sequence[str], target: Target) -> InputError:
    """The error when nothing fits: it lists the statements of the kind that was wanted, and suggests a name that is spelt alike."""
    last = target.chain[-1] if target.chain else Pattern("any")
    similar = Target((replace(last, name=None, body=None),), target.function)
    candidates = [m for f in program.functions() if f.name in names for m in matches(similar, f)]
    close = None
    named = [(p, s) for p, s in candidates if last.name is not None and _name_of(last.kind, s) == last.name]
    alone = Target((last,), target.function)
    if last.body is not None and named and not any(matches(alone, f) for f in program.functions() if f.name in names):
        # its body does not fit, wherever it is
        written = sorted({w for _, s in named for x in statements((s,)) if (w := written_name(x)) is not None})
        help_ = f"written there: {', '.join(written)}" if written else None
        message = f"no {KIND_WORDS[last.kind]} over `{last.name}` has {last.body} in it"
        return ambiguous("OG601", message, named, help_)
    if last.name is not None and not named:
        known = {_name_of(last.kind, s) for _, s in candidates} - {None}
        close = get_close_matches(last.name, sorted(str(k) for k in known), 1)
    help_ = f"did you mean `{close[0]}`?" if close else None
    return ambiguous("OG601", f"no {KIND_WORDS[last.kind]} fits {target}", candidates, help_)


def _name_of(kind: str, s: Stmt) -> str | None:
    match s:
        case For(index) if kind == "for":
            return index
        case Decl(name):
            return name
        case Store():
            return written_name(s)
        case _:
            return None


def ambiguous(
    code: str, message: str, candidates: Sequence[tuple[StatementPath, Stmt]], help_: str | None = None
) -> InputError:
    """An error that lists candidates."""
    listed = candidates[:MAX_CANDIDATES_SHOWN]
    labels = tuple(Label(s.loc, f"{path.function}: {headline(s)}") for path, s in listed)
    if help_ is None and code == "OG602":
        help_ = "say which: .first, .nth(1), .last, .all, or For(…, body=…)"
    return InputError(Diagnostic(code, message, NOWHERE, labels, (), help_))


def _error(code: str, message: str, help: str | None = None) -> InputError:
    return InputError(Diagnostic(code, message, NOWHERE, (), (), help))


def searchable(program: Program) -> list[str]:
    """The functions in which targets are looked for: all but ghost functions."""
    return [f.name for f in program.functions() if f.role is not Role.GHOST]
