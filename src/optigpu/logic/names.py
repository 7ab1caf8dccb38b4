"""Names of variables: who made a variable, what it stands for, and which of several it is.

A name is a structure. Its text is for messages, for the order of terms and for certificates; `read_name` reads it back, and no two
names have the same text. Whether a variable already exists at a point of a proof is a comparison of origins and numbers.

A *local name* is a string: `a`, and `a~2` for a declaration of `a` where another one still holds. Bases have local names.
"""

from __future__ import annotations

import re
from enum import Enum

from optigpu.logic.records import record


class Origin(Enum):
    """Who made a variable, with an example of its text."""

    PROGRAM = "x, x~2"  # the number counts the declarations of the stem, but for those in loops that have ended
    TEMPORARY = "t~, t~~2"  # intermediate values that elaboration names; the number as above
    FUNCTION = "fn:exp"  # mathematical functions
    FORMULA = "i^3"  # binders of formulas while these become terms
    RULE = "a~2#3"  # a rule of the kernel, when the state's counter was the number; the stem is a local name
    ARBITRARY = "b?0"  # a constant that stands for anything, inside a proof
    SEARCH = "$b3"  # variables of a search, which are bound again before the kernel sees them
    ITERATION = "$i~23"  # the iteration of an explored loop, see search/fresh_names.py
    CONTENTS = "@a~2.3"  # unknown contents of a base in an exploration; the stem is the base
    ENTRY = "@a~2.3!entry"  # these contents before the loop that is explored
    OPAQUE = "@opaque.3"  # a value of which an exploration knows nothing
    BOUND = "i.0"  # stands for a bound variable while a term is read or printed

    __hash__ = object.__hash__  # members are compared by identity; Enum's own hash is a function in Python


@record
class Name:
    """The name of a variable. With `divisors`, it is the quotient n/16/… of the variable that has the name without them."""

    origin: Origin
    stem: str
    number: int
    divisors: tuple[int, ...] = ()

    def __str__(self) -> str:
        text = _text(self.origin, self.stem, self.number)
        return "".join([text, *[f"/{d}" for d in self.divisors]]) if self.divisors else text

    @property
    def age(self) -> tuple[int, int]:
        """Orders variables by when they came into a proof: the program's, then rules', then constants of the proof itself."""
        if self.origin is Origin.RULE:
            return 1, self.number
        return (2, self.number) if self.origin in (Origin.ARBITRARY, Origin.SEARCH) else (0, 0)

    @property
    def explored(self) -> bool:
        """Does it stand for something that an exploration found in memory?"""
        return self.origin in (Origin.CONTENTS, Origin.ENTRY, Origin.OPAQUE)

    @property
    def display(self) -> str:
        """The name in messages, before names that are taken get a number: as in the source, for a variable of the source."""
        match self.origin:
            case Origin.PROGRAM if self.number == 1:
                return str(self)
            case Origin.SEARCH:
                return str(self).removeprefix("$")
            case Origin.OPAQUE:
                return "opaque"
            case _:
                return source_name(self.stem)


def _text(origin: Origin, stem: str, number: int) -> str:
    match origin:
        case Origin.PROGRAM:
            return stem if number == 1 else f"{stem}~{number}"
        case Origin.TEMPORARY:
            return f"{stem}~" if number == 1 else f"{stem}~~{number}"
        case Origin.FUNCTION:
            return f"fn:{stem}"
        case Origin.FORMULA:
            return f"{stem}^{number}"
        case Origin.RULE:
            return f"{stem}#{number}"
        case Origin.ARBITRARY:
            return f"{stem}?{number}"
        case Origin.SEARCH:
            return f"${stem}{number}"
        case Origin.ITERATION:
            return f"${stem}~{number}"
        case Origin.OPAQUE:
            return f"@opaque.{number}"
        case Origin.CONTENTS | Origin.ENTRY:
            base = f"{stem}:" if stem == "opaque" else stem  # an array may have that name
            return f"@{base}.{number}{'!entry' if origin is Origin.ENTRY else ''}"
        case Origin.BOUND:
            return f"{stem}.{number}"


_STEM = r"(?P<stem>[\w%]+)"
_LOCAL = r"(?P<stem>[\w%]+(?:~|~{1,2}[0-9]+)?)"
_LOCAL_OR_RESULT = r"(?P<stem>[\w%]+(?:~|~{1,2}[0-9]+|\.open)?)"  # `f.open#3`: a result of f with floats left open
_NUMBER = r"(?P<number>[0-9]+)"
_FORMS = {
    origin: re.compile(form + r"(?P<divisors>(?:/[0-9]+)*)")
    for origin, form in {
        Origin.PROGRAM: rf"{_STEM}(?:~{_NUMBER})?",
        Origin.TEMPORARY: rf"{_STEM}~(?:~{_NUMBER})?",
        Origin.FUNCTION: rf"fn:{_STEM}",
        Origin.FORMULA: rf"{_STEM}\^{_NUMBER}",
        Origin.RULE: rf"{_LOCAL_OR_RESULT}#{_NUMBER}",
        Origin.ARBITRARY: rf"{_STEM}\?{_NUMBER}",
        Origin.SEARCH: rf"\${_STEM}(?<=[^0-9]){_NUMBER}",
        Origin.ITERATION: rf"\${_STEM}~{_NUMBER}",
        Origin.OPAQUE: rf"@(?P<stem>)opaque\.{_NUMBER}",
        Origin.CONTENTS: rf"@{_LOCAL}:?\.{_NUMBER}",
        Origin.ENTRY: rf"@{_LOCAL}:?\.{_NUMBER}!entry",
        Origin.BOUND: rf"{_STEM}\.{_NUMBER}",
    }.items()
}  # fmt: skip


def read_name(text: str) -> Name:
    """The name with this text. Raises ValueError for a text that no name has."""
    for origin, form in _FORMS.items():
        if found := form.fullmatch(text):
            parts = found.groupdict()
            divisors = tuple(int(d) for d in parts["divisors"].split("/")[1:])
            name = Name(origin, parts["stem"], int(parts.get("number") or 1), divisors)
            if str(name) == text:
                return name
    raise ValueError(f"{text!r} is no name of a variable")


def is_well_formed(name: Name) -> bool:
    """Is this the name that its text is read as? Then no other well-formed name has the same text."""
    fields = (name.origin, name.stem, name.number, name.divisors)
    if tuple(map(type, fields)) != (Origin, str, int, tuple) or not {int}.issuperset(map(type, name.divisors)):
        return False
    try:
        return read_name(str(name)) == name
    except ValueError:
        return False


def source_name(text: str) -> str:
    """What the source calls a variable, a base or a result, by the text of its name or its local name: that text up to the first
    mark (`a~2`, `a~2#3`, `f.open#3`)."""
    return re.split(r"[~#]|\.open", text, maxsplit=1)[0]
