"""Audits of files: annotated C is replayed, emitted code is made again from the certificate's program and compared."""

from __future__ import annotations

from pathlib import Path

from optigpu.api import CUDA_SUFFIXES, verified_cuda
from optigpu.check.audit import AuditResult, Certified, certified
from optigpu.check.certified_text import TOOL
from optigpu.check.replay import REPLAYER, ReplayError
from optigpu.check.trusted import PROGRAMS_FOR_CODE, trusted_for_code
from optigpu.codegen.emission import Emission, read_emission
from optigpu.frontend import parse_file
from optigpu.report.audit_text import first_difference
from optigpu.report.scripts import emitted_header
from optigpu.runtime.call_error import CallError
from optigpu.runtime.files import read_exact
from optigpu.runtime.manifest import manifest_text
from optigpu.syntax.diagnostic import InputError


def audited_file(file: str, certificate: str) -> AuditResult:
    """The program of a file; of emitted code, the program of the certificate, from which the code is made again."""
    claimed = certified(certificate)
    try:
        kind, given = Path(file).suffix, read_exact(file)
    except UnicodeDecodeError:
        raise CallError(f"{file} is no text") from None
    cuda = kind in (*CUDA_SUFFIXES, ".json")
    emission = None if claimed.emission is None else read_emission(claimed.emission, claimed.program)
    if not cuda and (emission is None or emission.language != "c" or "optigpu.h" in given):  # annotated C
        parse_file(file)  # its errors are told with their places
        return replayed(certificate, file)
    if emission is None or (emission.language == "cuda") != cuda:
        raise ValueError(f"it is of no {'CUDA' if cuda else 'C'} code")
    found = replayed(certificate, None)
    if not found.failures:
        wrong = _wrong_code(given, kind, claimed, emission)
        if wrong is not None:
            found.failures[file] = f"this is not what its program becomes: {wrong}"
        else:
            found.code = "CUDA" if cuda else "C"
            found.trusted_lines |= trusted_for_code()
            found.programs.append(PROGRAMS_FOR_CODE)
    return found


def replayed(certificate: str, file: str | None) -> AuditResult:
    try:
        return REPLAYER.replay(certificate, file)
    except ReplayError as e:
        raise CallError(str(e)) from None


def _wrong_code(given: str, kind: str, claimed: Certified, emission: Emission) -> str | None:
    """Why code, or how it is called (`.json`), is not what is made from the program of a certificate that was replayed."""
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
    wrong = first_difference(given, made)
    if wrong is not None and claimed.tool != TOOL:
        return f"{wrong} (the certificate is of {claimed.tool}, this is {TOOL}: emit it again)"
    return wrong
