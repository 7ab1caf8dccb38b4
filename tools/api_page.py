"""Writes docs/api.md: the whole API, rendered from docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import optigpu as og
from optigpu import checked_files, schedules
from optigpu.check.audit import AuditResult
from optigpu.check.verdict import FunctionResult, ProgramResult, Verdict
from optigpu.runtime.call_error import BuildError, CallError
from optigpu.runtime.cpu import CFunction
from optigpu.runtime.cuda import CudaFunction
from optigpu.runtime.manifest import BuiltCuda
from optigpu.schedules.auto import Choice
from optigpu.schedules.proposals import Proposal
from optigpu.script.handles import IfBranch
from optigpu.script.step import Step
from optigpu.syntax.diagnostic import Diagnostic, InputError
from optigpu.transform.registry import GROUPS

TARGET = Path(__file__).parent.parent / "docs" / "api.md"
HEAD = """# The API

Rendered by `tools/api_page.py` from docstrings. `import optigpu as og` gives the names that start with `og.`; transformations have
a page of their own, [reference.md](reference.md), and so have schedules, [schedules.md](schedules.md). How scripts are written:
[scripts.md](scripts.md).

"""
SPECIAL = ("__call__", "__truediv__")  # methods that users call by an operator
# Methods that only transformations, and our own code, use.
INTERNAL = {
    "around", "before_check", "do_before_check", "found", "fresh", "in_host_memory", "outermost_searched", "run_step", "searched",
    "stepped", "update", "use_launcher", "use_library", "well_formed", "why_unchecked",
}  # fmt: skip
Named = tuple[str, object]
# By heading: what is shown there, by the name that users write, or by which it is known.
SECTIONS: dict[str, list[Named]] = {
    "Scripts": [("og.Script", og.Script), ("og.transformation", og.transformation), ("og.observe", og.observe)],
    "Programs in Python": [
        (f"og.{f.__name__}", f) for f in (og.program, og.PythonProgram, og.declare, og.define, og.axiom, og.lemma)
    ],
    "Targets": [
        (f"og.{f.__name__}", f) for f in (og.For, og.Write, og.Read, og.Decl, og.Call, og.If, og.In, og.Target)
    ],
    "Handles": [("og.Handle", og.Handle), ("IfBranch", IfBranch)],
    "Checking": [
        ("og.check", checked_files.check),
        ("og.audit", og.audit),
        ("og.Verifier", og.Verifier),
        ("og.Settings", og.Settings),
    ],
    "Results": [
        ("ProgramResult", ProgramResult),
        ("FunctionResult", FunctionResult),
        ("Verdict", Verdict),
        ("AuditResult", AuditResult),
        ("Step", Step),
    ],
    "Built functions": [
        ("og.load", og.load),
        ("CudaFunction", CudaFunction),
        ("CFunction", CFunction),
        ("BuiltCuda", BuiltCuda),
    ],
    "Tuning": [("og.tune", og.tune), ("og.tuned", og.tuned), ("og.apply_tuned", og.apply_tuned)],
    "Schedules": [("schedules.auto", schedules.auto), ("Choice", Choice), ("Proposal", Proposal)],
    "Memory": [("og.pad", og.pad)],
    "Errors": [
        ("og.StepError", og.StepError),
        ("InputError", InputError),
        ("Diagnostic", Diagnostic),
        ("CallError", CallError),
        ("BuildError", BuildError),
    ],
}


def api_page() -> str:
    contents = "".join(f"- [{section}](#{section.lower().replace(' ', '-')})\n" for section in SECTIONS)
    sections = (f"## {name}\n\n" + "\n".join(map(_shown, parts)) for name, parts in SECTIONS.items())
    return HEAD + contents + "\n" + "\n".join(sections)


def _shown(named: Named) -> str:
    name, what = named
    if not inspect.isclass(what):
        assert callable(what)
        return f"### {name}\n\n`{name}{signature_of(what)}`\n\n{_prose(what)}\n"
    text = f"### {name}\n" + (f"\n{_prose(what)}\n" if _prose(what) else "")
    made, fields = _made_by(what), _fields(what)
    if made is not None and name.startswith("og.") and not fields:
        text += f"\n`{name}{signature_of(made, method=True)}`\n"
        text += f"\n{_prose(made)}\n" if own_doc(made) else ""
    rows = [*fields, *(_member(key, member) for key, member in _members(what) if key not in INTERNAL)]
    if issubclass(what, Verdict):
        rows += [f"- `Verdict.{x.name}`" for x in Verdict]
    if issubclass(what, og.Script):
        links = ", ".join(f"[`{g.name}`](reference.md#{g.name})" for g in GROUPS)
        rows.append(f"- groups of transformations: {links}")
    return text + ("\n" + "\n".join(rows) + "\n" if rows else "")


def _member(name: str, member: object) -> str:
    text = _prose(member).replace("\n\n", " ").replace("\n", " ")
    if isinstance(member, property):
        return f"- `{name}`: {text}"
    assert callable(member)
    shown = {"__call__": "f", "__truediv__": "/"}.get(name, name)
    return f"- `{shown}{signature_of(member, method=True)}`: {text}"


def _members(what: type) -> Iterator[tuple[str, object]]:
    """Public methods and properties with a docstring, those of the class first."""
    seen: set[str] = set()
    for base in what.__mro__:
        if not base.__module__.startswith("optigpu."):
            continue
        for name, member in vars(base).items():
            if isinstance(member, classmethod | staticmethod):
                member = member.__func__
            is_public = not name.startswith("_") or name in SPECIAL
            if is_public and name not in seen and (isinstance(member, property) or inspect.isfunction(member)):
                seen.add(name)
                if own_doc(member):
                    yield name, member


def _made_by(what: type) -> Callable[..., object] | None:
    made = vars(what).get("__init__")
    return made if inspect.isfunction(made) else None


def own_doc(what: object) -> str:
    return inspect.cleandoc(getattr(what, "__doc__", None) or "")


def _prose(what: object) -> str:
    """A docstring as paragraphs; code in it stays as it is."""
    doc = own_doc(what)
    if inspect.isclass(what) and doc.startswith(what.__name__):
        return ""  # that of a dataclass without a docstring
    paragraphs = re.split(r"\n\s*\n", doc)
    return "\n\n".join(x if x.startswith("    ") else " ".join(x.split()) for x in paragraphs)


def signature_of(f: Callable[..., object], method: bool = False) -> str:
    """The parameters as they are written, and what is returned. Types are shown without their modules."""
    signature = inspect.signature(f)
    texts: list[str] = []
    for p in list(signature.parameters.values())[1 if method else 0 :]:
        if p.kind is p.KEYWORD_ONLY and not any(text.startswith("*") for text in texts):
            texts.append("*")
        star = "*" if p.kind is p.VAR_POSITIONAL else "**" if p.kind is p.VAR_KEYWORD else ""
        default = "" if p.default is p.empty else f" = {p.default!r}".replace("'", '"')
        texts.append(f"{star}{p.name}{': ' + _type(p.annotation) if p.annotation is not p.empty else ''}{default}")
    returned = signature.return_annotation
    result = "" if returned in (signature.empty, "None", None) else f" -> {_type(returned)}"
    return f"({', '.join(texts)}){result}"


def _type(annotation: object) -> str:
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return re.sub(r"\b(?:\w+\.)+(\w+)", r"\1", text)


def _fields(what: type) -> list[str]:
    """The fields of a dataclass."""
    names: tuple[str, ...] = getattr(what, "__match_args__", ())
    hints = {k: v for base in reversed(what.__mro__) for k, v in getattr(base, "__annotations__", {}).items()}
    return [f"- `{name}: {_type(hints[name])}`" for name in names if not name.startswith("_") and name in hints]


if __name__ == "__main__":
    TARGET.write_text(api_page(), encoding="utf-8")
