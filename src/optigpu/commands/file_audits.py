"""Audits of files: the certificate of annotated C is replayed; emitted code is also emitted anew and compared."""

from __future__ import annotations

from pathlib import Path

from optigpu.api import CUDA_SUFFIXES, verified_cuda
from optigpu.check.audit import AuditResult, Certified, certified
from optigpu.check.certified_text import TOOL, whole_text
from optigpu.check.replay import REPLAYER, ReplayError
from optigpu.check.trusted import PROGRAMS_FOR_CODE, trusted_for_code
from optigpu.codegen.emission import Emission, read_emission
from optigpu.commands.program_files import is_python
from optigpu.commands.python_program_text import separate_program_of_file
from optigpu.frontend import parse_file
from optigpu.report.audit_text import first_difference
from optigpu.report.scripts import emitted_header
from optigpu.runtime.call_error import CallError
from optigpu.runtime.files import read_exact
from optigpu.runtime.manifest import manifest_text
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.printer import print_program
from optigpu.syntax.program import Program


def audited_file(file: str, certificate: str) -> AuditResult:
    """Replay the certificate of a file. Emitted code must also equal what the program in the certificate is emitted as."""
    claimed = certified(certificate)
    if is_python(file):
        return _audited_python(separate_program_of_file(file), claimed, certificate)
    try:
        kind, code = Path(file).suffix, read_exact(file)
    except UnicodeDecodeError:
        raise CallError(f"{file} is no text") from None
    cuda = kind in (*CUDA_SUFFIXES, ".json")
    emission = None if claimed.emission is None else read_emission(claimed.emission, claimed.program)
    if not cuda and (emission is None or emission.language != "c" or "optigpu.h" in code):  # annotated C
        parse_file(file)  # reports syntax errors with their places
        return replayed(certificate, file)
    if emission is None or (emission.language == "cuda") != cuda:
        raise ValueError(f"it is of no {'CUDA' if cuda else 'C'} code")
    audit = replayed(certificate, None)
    if not audit.failures:
        wrong = _wrong_code(code, kind, claimed, emission)
        if wrong is not None:
            audit.failures[file] = f"this is not what its program becomes: {wrong}"
        else:
            audit.code = "CUDA" if cuda else "C"
            audit.trusted_lines |= trusted_for_code()
            audit.programs.append(PROGRAMS_FOR_CODE)
    return audit


def _audited_python(program: Program, claimed: Certified, certificate: str) -> AuditResult:
    """Replay the certificate of a Python file, which must be of the program that the file makes."""
    audit = replayed(certificate, None)
    if not audit.failures and print_program(claimed.program) != whole_text(program, audit.theorems):
        audit.failures["program"] = "it is not the one that was certified"
    return audit


def replayed(certificate: str, file: str | None) -> AuditResult:
    try:
        return REPLAYER.replay(certificate, file)
    except ReplayError as e:
        raise CallError(str(e)) from None


def _wrong_code(code: str, kind: str, claimed: Certified, emission: Emission) -> str | None:
    """How `code` (or a manifest, `.json`) differs from what the certified program is emitted as; None if it does not."""
    program, ledger = claimed.program, claimed.ledger
    assumed = ledger["axioms"], ledger["admitted"], str(ledger.get("solver")), ledger.get("unbounded", ())
    header = emitted_header(emission, program, *assumed)
    try:
        if kind == ".json":
            made = manifest_text(verified_cuda(program, emission.cuda(program, header)))
        else:
            made = emission.code(program, header)
    except InputError as e:
        return f"no code is made from it ({e.diagnostic.message})"
    wrong = first_difference(code, made)
    if wrong is not None and claimed.tool != TOOL:
        return f"{wrong} (the certificate is of {claimed.tool}, this is {TOOL}: emit it again)"
    return wrong
