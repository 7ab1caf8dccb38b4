"""`og.check` and `og.audit`: what the commands of the same names do, from Python."""

from __future__ import annotations

from pathlib import Path

from optigpu.api import INTEGERS
from optigpu.check.audit import AuditResult
from optigpu.check.verdict import Counterexample, ProgramResult
from optigpu.check.verify import Settings, Verifier
from optigpu.commands.file_audits import audited_file, replayed
from optigpu.frontend import parse_file, recheck
from optigpu.frontend.python.python_program import TranslatedProgram
from optigpu.report.verdict_text import render_result
from optigpu.runtime.call_error import CallError
from optigpu.runtime.disk_cache import answers_folder
from optigpu.syntax.program import Program
from optigpu.syntax.recursion_limit import deep

CERTIFICATE = ".cert.json"


@deep
def check(
    source: str | Path | Program | TranslatedProgram,
    *,
    function: str | None = None,
    integers: str = "machine",
    timeout: float | None = None,
) -> ProgramResult:
    """Verify a C file, a function under `@og.program`, or a program: all its functions, or one with those that it calls.

    The result says for each function whether it is VERIFIED, REFUTED, UNPROVED or UNSUPPORTED, and why: `result.verified`,
    `result.failures`, `result.assumptions`; as text, it is what `optigpu check` prints. A program that is not verified is no error.
    `integers` and `timeout` are as for `og.Script`. Raises InputError if the file is no program.
    """
    if integers not in INTEGERS:
        raise CallError(f"integers is one of {', '.join(map(repr, INTEGERS))}, not {integers!r}")
    if isinstance(source, TranslatedProgram):
        source = source.program
    program = recheck(source) if isinstance(source, Program) else parse_file(source)
    if function is not None and function not in (names := [f.name for f in program.functions()]):
        raise CallError(f"there is no function `{function}` (there is: {', '.join(names)})")
    settings = Settings(answers_folder(), refuter=_counterexample, unbounded=integers == "unbounded", timeout=timeout)
    result = Verifier(settings).verify(program, function)
    result.as_text = render_result
    return result


def _counterexample(program: Program, function: str) -> Counterexample | None:
    from optigpu.interp.refute import refute

    return refute(program, function)


@deep
def audit(file: str | Path, certificate: str | Path | None = None) -> AuditResult:
    """Replay the proof of emitted code, in another process and without any search, and compare the code with what is emitted for
    the proved program.

    `file`: what `Script.emit` or `optigpu build` wrote (`x.cu`, `x.c`), annotated C, or a certificate by itself.
    `certificate`: by default `x.cert.json` beside it. The code is that of the proof if `result.failures` is empty; then
    `result.assumptions` counts what the proof assumes. Raises CallError if there is no certificate, or it is none.
    """
    path = Path(file)
    alone = certificate is None and path.name.endswith(CERTIFICATE)
    beside = path if alone else Path(certificate) if certificate is not None else path.with_suffix(CERTIFICATE)
    try:
        text = beside.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise CallError(f"{beside} is not there: s.emit writes it beside the code") from None
    except UnicodeDecodeError:
        raise CallError(f"{beside} is no certificate: it is no text") from None
    try:
        return replayed(text, None) if alone else audited_file(str(path), text)
    except FileNotFoundError as e:
        raise CallError(f"{e.filename} is not there") from None
    except ValueError as e:
        what = str(e).removeprefix("not a certificate ").strip("()")
        raise CallError(f"{beside} is not a certificate that fits {path.name}: {what}") from None
