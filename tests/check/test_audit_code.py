"""`optigpu audit` of emitted code: it emits the code again from the proved program, and does not trust the certificate."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import optigpu as og
from optigpu.api import has_kernels
from optigpu.check.certificate import sealed
from optigpu.check.certified_text import whole_text
from optigpu.cli import main
from optigpu.codegen.c import callees_first
from optigpu.codegen.emission import Emission, c_emission, cuda_emission, launches, read_emission
from optigpu.frontend import parse_file, parse_text
from optigpu.report.audit_text import first_difference
from optigpu.runtime.manifest import load, save
from optigpu.syntax.program import CallStmt, Program
from optigpu.syntax.walk import statements
from tests.conftest import ROOT

ADD = ROOT / "examples" / "gpu" / "vector_add.c"
SUM, DIFFERENCE = " + d_b[", " - d_b["
PROGRAMS = sorted(
    p for p in (ROOT / "examples").rglob("*.c") if p.stem in ("reduce", "reduce_library", "matmul", "scan", "histogram")
)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `optigpu build` writes: add.cu, add.json, add.cert.json."""
    folder = tmp_path_factory.mktemp("built")
    s = og.Script(ADD)
    s.emit(folder / "add.cu")
    save(s.built_cuda(), folder, "add")
    return folder


@pytest.fixture
def copied(built: Path, tmp_path: Path) -> Iterator[Path]:
    for p in built.iterdir():
        (tmp_path / p.name).write_bytes(p.read_bytes())
    yield tmp_path


def audit(folder: Path, file: str = "add.cu") -> int:
    return main(["audit", str(folder / file), "--certificate", str(folder / "add.cert.json")])


def forged(folder: Path, **parts: Any) -> None:
    """Other parts of the certificate, sealed again as by somebody who wants to deceive."""
    path = folder / "add.cert.json"
    path.write_text(sealed({**json.loads(path.read_text()), **parts}), encoding="utf-8")


def replaced(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def emission_of(folder: Path) -> dict[str, Any]:
    emission = json.loads((folder / "add.cert.json").read_text())["emission"]
    assert isinstance(emission, dict)
    return emission


def test_code_is_accepted_if_its_program_becomes_it(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert audit(built) == 0
    out = capsys.readouterr().out
    assert "proved     vector_add" in out and "as CUDA: the same to the byte" in out and "code generation" in out
    assert audit(built, "add.json") == 0
    assert main(["audit", str(ADD), "--certificate", str(built / "add.cert.json")]) == 0
    assert "the same to the byte" not in capsys.readouterr().out.split("audit of")[-1]


def test_changed_code_is_refused_with_its_place(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = (copied / "add.cu").read_text(encoding="utf-8").split("\n")
    n = next(i for i, line in enumerate(lines) if SUM in line)
    column = lines[n].index(SUM) + 2
    replaced(copied / "add.cu", lines[n], lines[n].replace(SUM, DIFFERENCE))
    assert audit(copied) == 1
    assert f"line {n + 1}, column {column}: " in capsys.readouterr().out


def test_a_program_forged_to_fit_changed_code_is_not_proved(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The code and the program of the certificate say the same, and the seal fits: the proof does not."""
    program = json.loads((copied / "add.cert.json").read_text())["program"]
    wrong = program.replace(SUM, DIFFERENCE)
    assert wrong != program
    emission = read_emission(emission_of(copied), parse_text(wrong))
    header = (copied / "add.cu").read_text().split("\n")[1:3]
    (copied / "add.cu").write_text(emission.code(parse_text(wrong), [h.removeprefix("// ") for h in header]))
    forged(copied, program=wrong)
    assert audit(copied) == 1
    assert "not proved vector_add" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("option", "value", "code"),
    [
        ("steps", 7, 1), ("file", "other.c", 1), ("residents", [[0, 4]], 0), ("residents", "of the launch", 1),
        ("steps", -1, 2), ("steps", "1", 2), ("steps", True, 2), ("functions", ["other"], 2), ("functions", [], 2),
        ("language", "c", 2), ("language", "ptx", 2), ("reasons", [[99999, "why"]], 2), ("reasons", [[0, 1]], 2),
        ("residents", [[0, 0]], 2), ("residents", [["0", 1]], 2), ("residents", [[0, 1], [0, 2]], 2), ("more", 1, 2),
        ("file", 1, 2), ("reasons", None, 2),
    ],
)  # fmt: skip
def test_other_options_make_other_code_or_none(copied: Path, option: str, value: Any, code: int) -> None:
    """Exit code 1 where they make other code, 2 where they are no options; 0 if they are of a statement that has none."""
    if value == "of the launch":
        f = parse_text(json.loads((copied / "add.cert.json").read_text())["program"]).function("vector_add")
        value = [[[s.id for s in statements(f.body)].index(launches(f)[0]), 3]]
    forged(copied, emission={**emission_of(copied), option: value})
    assert audit(copied) == code


def test_what_a_header_says_of_the_proof_is_made_again(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    replaced(copied / "add.cu", "0 assumptions", "1 assumption")
    assert audit(copied) == 1
    assert "`// VERIFIED 0 steps · 1 assumption" in capsys.readouterr().out


def test_how_code_is_called_is_made_again(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A manifest that is sealed again is loaded: that the kernels in it are others is found by the audit alone."""
    built = load(copied, "add")
    changed = built.kernels.replace(SUM, DIFFERENCE)
    assert changed != built.kernels
    save(
        type(built)(built.source, built.signature, built.on_device, built.alignment, changed, built.plan, True),
        copied,
        "add",
    )
    assert load(copied, "add").kernels == changed
    assert audit(copied, "add.cu") == 0
    assert audit(copied, "add.json") == 1
    assert DIFFERENCE in capsys.readouterr().out


def test_certificates_of_older_formats_are_refused_as_such(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads((copied / "add.cert.json").read_text())
    del data["emission"]
    (copied / "add.cert.json").write_text(sealed({**data, "format": 2, "emitted": "0" * 64}))
    assert audit(copied) == 2
    assert "format 2, not 9: another version wrote it, make it again" in capsys.readouterr().err


def test_code_of_another_version_says_so(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    forged(copied, tool="optigpu 0.0")
    assert audit(copied) == 0
    replaced(copied / "add.cu", "0 steps", "1 step")
    assert audit(copied) == 1
    assert "of optigpu 0.0, this is optigpu" in capsys.readouterr().out


def test_a_certificate_without_code_is_of_no_code(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(ADD), "--certificate", str(copied / "add.cert.json")]) == 0
    assert audit(copied) == 2
    assert "it is of no CUDA code" in capsys.readouterr().err
    assert main(["audit", str(ADD), "--certificate", str(copied / "add.cert.json")]) == 0


def test_c_is_made_again_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, source = tmp_path / "add.c", ROOT / "examples" / "sum.c"
    og.Script(source).emit(code)
    assert audit(tmp_path, "add.c") == 0
    assert "as C: the same to the byte" in capsys.readouterr().out
    assert main(["audit", str(source), "--certificate", str(tmp_path / "add.cert.json")]) == 0
    replaced(code, "total += ", "total -= ")
    assert audit(tmp_path, "add.c") == 1
    assert "`total -= " in capsys.readouterr().out
    code.rename(tmp_path / "add.cu")
    assert audit(tmp_path, "add.cu") == 2


def test_programs_that_do_not_become_such_code_are_refused(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Code that no emitter made, with the proof of a program that launches nothing."""
    assert main(["check", str(ROOT / "examples" / "sum.c"), "--certificate", str(copied / "add.cert.json")]) == 0
    options = {"language": "cuda", "functions": ["sum"], "file": "", "steps": 0, "reasons": [], "residents": []}
    forged(copied, emission=options)
    assert audit(copied) == audit(copied, "add.json") == 1
    capsys.readouterr()
    (copied / "add.cu").write_bytes(b"\xff\xfe")
    assert audit(copied) == 2
    assert "add.cu is no text" in capsys.readouterr().err


def read_again(program: Program) -> Program:
    names = [f.name for f in program.functions()]
    return parse_text(whole_text(program, {f.name for f in callees_first(program, names)}))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_programs_become_the_same_code_when_read_from_a_certificate(path: Path) -> None:
    program = parse_file(path)
    emission = c_emission(program)
    if has_kernels(program):
        (f,) = [f for f in program.functions() if launches(f)]
        barriers = [s.id for s in statements(f.body) if isinstance(s, CallStmt) and s.call.func == "blocksync"]
        emission = cuda_emission(program, None, 3, dict.fromkeys(barriers, "why"), dict.fromkeys(launches(f), 2))
    reread = read_again(program)
    read = read_emission(json.loads(json.dumps(emission.to_json())), reread)
    assert read == emission
    assert read.code(reread, ["header"]) == emission.code(program, ["header"])


def test_free_text_of_a_certificate_is_one_comment() -> None:
    """A name or reason that ends a line, or makes the next one a part of it, would add or remove code."""
    program = parse_file(ROOT / "examples" / "gpu" / "reduce.c")
    (f,) = [f for f in program.functions() if launches(f)]
    numbers = range(len(list(statements(f.body))))
    plain = Emission("cuda", (f.name,)).code(program, [])
    for evil in ("x\nint evil;", "x\\", "x ??/", "x \\ \t ", "x\rint evil;", "x\u2028int evil;"):
        text = Emission("cuda", (f.name,), evil, 0, dict.fromkeys(numbers, evil)).code(program, [evil])
        assert [line.partition("//")[0].rstrip() for line in text.split("\n") if line.strip("/ ")[:1] != "x"] == [
            line.partition("//")[0].rstrip() for line in plain.split("\n")
        ]
        assert not any(line.rstrip().endswith(("\\", "??/")) for line in text.split("\n") if "//" in line)
        assert text.splitlines() == text.split("\n")[:-1]


def test_the_first_difference_is_told() -> None:
    assert first_difference("a\nb\n", "a\nb\n") is None
    assert first_difference("a\nc\n", "a\nb\n") == "line 2, column 1: `c` should be `b`"
    assert first_difference("a\n", "a\nb\n") == "line 2, column 1: `` should be `b`"
    assert first_difference("a", "a\nb") == "it ends before line 2, `b`"
    assert first_difference("a\nb", "a") == "line 2 is one too many: `b`"
    assert first_difference("a\r\nb", "a\nb") == "line 1, column 2: `a\\r` should be `a`"
