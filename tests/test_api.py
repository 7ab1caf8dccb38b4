"""What `import optigpu as og` gives besides scripts: checking, auditing and loading from Python."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import optigpu as og
from optigpu.check.verdict import Verdict
from optigpu.frontend import parse_text
from optigpu.runtime.call_error import CallError
from optigpu.runtime.manifest import save
from tests.conftest import ROOT

SUM = ROOT / "examples" / "sum.c"
WRONG = """void zero(int n, float a[n]) {
  __writes("a ~> Matrix1(n, fun i -> 0)");
  for (int i = 0; i < n; i++) a[i] = 1.0f;
}
void one(int n, float a[n]) {
  __writes("a ~> Matrix1(n, fun i -> 1)");
  for (int i = 0; i < n; i++) a[i] = 1.0f;
}
"""


@pytest.fixture(scope="module")
def emitted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built function: code, certificate, and manifest."""
    s = og.Script(ROOT / "examples" / "gpu" / "vector_add.c")
    code = s.emit(tmp_path_factory.mktemp("built") / "vector_add.cu")
    save(s.built_cuda(), code.parent, code.stem)
    return code


def test_every_public_name_is_there() -> None:
    for name in og.__all__:
        assert getattr(og, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'verify'"):
        og.verify  # noqa: B018


def test_the_package_of_the_checker_is_a_package_too() -> None:
    code = "import optigpu.check.verify as v; import optigpu as og; assert og.check.verify is v and callable(og.check)"
    subprocess.run([sys.executable, "-c", code], check=True)
    subprocess.run(
        [sys.executable, "-c", f"import optigpu as og; og.check({str(SUM)!r}); og.check.verify.Verifier"], check=True
    )


def test_check_verifies_a_file_or_a_program() -> None:
    assert og.check(SUM).verified and not og.check(str(SUM)).assumptions
    result = og.check(parse_text(WRONG, "wrong.c"))
    assert not result.verified and [f.name for f in result.failures] == ["zero"]
    assert result.failures[0].verdict is Verdict.REFUTED
    assert og.check(parse_text(WRONG, "wrong.c"), function="one").verified


def test_results_read_as_on_the_command_line() -> None:
    result = og.check(parse_text(WRONG, "wrong.c"))
    text = str(result)
    assert "REFUTED[OG" in text and "VERIFIED one" in text and "witness" in text
    assert text.splitlines()[-1].startswith("wrong.c: 1 VERIFIED")
    assert repr(result).startswith("<result of wrong.c: <zero: REFUTED OG") and "<one: VERIFIED>" in repr(result)
    s = og.Script(SUM)
    s.loop.tile("i", 4, tail="guard")
    assert str(s.result).startswith("VERIFIED sum") and repr(s.result.functions) == "[<sum: VERIFIED>]"
    assert repr(s).endswith("sum.c: 1 step, VERIFIED>")
    s.program = s.original
    assert "changed outside a step" in repr(s)
    assert len(repr(og.Verifier().verify(s.original))) < 100


def test_check_refuses_what_it_cannot_mean() -> None:
    with pytest.raises(CallError, match=r"there is no function `two` \(there is: zero, one\)"):
        og.check(parse_text(WRONG, "wrong.c"), function="two")
    with pytest.raises(CallError, match="integers is one of"):
        og.check(SUM, integers="big")


def test_a_verifier_is_used_for_several_programs() -> None:
    verifier = og.Verifier(og.Settings())
    assert og.Script(SUM, verifier=verifier).result.verified
    assert not verifier.verify(parse_text(WRONG, "wrong.c")).verified


def test_audit_replays_the_proof_and_compares_the_code(emitted: Path) -> None:
    result = og.audit(emitted)
    assert not result.failures and result.code == "CUDA" and "vector_add" in result.theorems and not result.assumptions
    assert not og.audit(emitted.with_suffix(".cert.json")).failures


def test_audit_notices_changed_code(emitted: Path, tmp_path: Path) -> None:
    changed = tmp_path / emitted.name
    changed.write_text(emitted.read_text().replace(" + d_b[", " - d_b["))
    assert changed.read_text() != emitted.read_text()
    assert og.audit(changed, emitted.with_suffix(".cert.json")).failures


def test_audit_without_a_certificate_is_an_error(tmp_path: Path) -> None:
    code = tmp_path / "x.cu"
    code.write_text("int x;")
    with pytest.raises(CallError, match=r"x\.cert\.json is not there"):
        og.audit(code)
    (tmp_path / "x.cert.json").write_text("{}")
    with pytest.raises(CallError, match="not a certificate"):
        og.audit(code)
    with pytest.raises(CallError, match="not a certificate that fits"):
        og.audit(tmp_path / "y.cu", ROOT / "README.md")


def test_load_calls_what_was_built(emitted: Path) -> None:
    a, b = np.arange(5, dtype=np.float32), np.ones(5, np.float32)
    for path in (emitted, emitted.with_suffix(".json"), emitted.with_suffix(""), emitted.parent):
        c = np.zeros(5, np.float32)
        og.load(path, standin=True)(a, b, c)
        assert (c == a + b).all()


def test_load_refuses_what_is_not_there_or_was_changed(emitted: Path, tmp_path: Path) -> None:
    with pytest.raises(CallError, match="has 0 built functions"):
        og.load(tmp_path)
    with pytest.raises(CallError, match="is not there"):
        og.load(tmp_path / "other")
    (tmp_path / "f.json").write_text(emitted.with_suffix(".json").read_text())
    (tmp_path / "f.cu").write_text(emitted.read_text() + "\n")
    with pytest.raises(CallError, match="was changed"):
        og.load(tmp_path / "f")


def test_load_needs_numpy_alone(emitted: Path) -> None:
    """As on a machine where neither the parser nor a solver is installed."""
    code = (
        "import sys\n"
        "sys.modules.update(dict.fromkeys(('lark', 'greenlet', 'z3', 'cvc5', 'hypothesis')))\n"
        "import optigpu as og\n"
        f"print(og.load({str(emitted)!r}, standin=True))\n"
        "assert 'optigpu.api' not in sys.modules and 'optigpu.check' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
