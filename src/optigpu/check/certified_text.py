"""What a certificate says besides its proofs: the program as text, hashes of contracts, and what the proofs rest on."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator

from optigpu.syntax.printer import ProgramPrinter, print_program
from optigpu.syntax.program import Function, Include, Program, Role, TopLevel
from optigpu.version import VERSION

TOOL = f"optigpu {VERSION}"


def contract_text(f: Function) -> str:
    """The signature and contract of a function as canonical text."""
    printer = ProgramPrinter()
    printer.out.add(printer.signature(f))
    printer.clauses(f.contract)
    return printer.out.text()


def contract_hash(f: Function) -> str:
    return text_hash(contract_text(f))


def text_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def whole_text(program: Program, proved: Collection[str]) -> str:
    """The program as one file: system headers stay as #include, other headers are replaced by their text. Functions of headers
    that are neither proved nor admitted are left out."""
    own = {f.name for f in program.functions()} | set(proved)
    items = [
        i
        for i in program.flat_items()
        if not isinstance(i, Function) or i.name in own or i.admitted or i.role is Role.GHOST
    ]
    return print_program(Program(program.file, (*dict.fromkeys(_system_headers(program.items)), *items)))


def _system_headers(items: Iterable[TopLevel]) -> Iterator[Include]:
    for i in items:
        if isinstance(i, Include):
            yield from [i] if i.system else _system_headers(i.items)


def assumptions(axioms: Iterable[str], admitted: Iterable[str], unbounded: Iterable[int]) -> dict[str, object]:
    """What proofs rest on. `unbounded`: numbers of statements whose integers are assumed to fit."""
    return {
        "axioms": sorted(axioms),
        "admitted": sorted(admitted),
        "floats": "reals in results, open in safety",
        "unbounded": sorted(unbounded),
    }
