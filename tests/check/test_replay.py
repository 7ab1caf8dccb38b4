"""Before a verdict leaves the process, a separate fresh process replays the proof."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import optigpu as og
from optigpu.check.certify import certificate_of
from optigpu.check.remembered_proofs import proof_basis
from optigpu.check.replay import Replayer
from optigpu.check.verdict import FunctionResult, ProgramResult, Verdict
from optigpu.check.verify import Settings, Verifier
from optigpu.cli import main
from optigpu.elaborate.program_elaboration import elaborate
from optigpu.frontend import parse_text
from optigpu.kernel import Theorem, sealed
from optigpu.kernel import side_conditions as conditions
from optigpu.logic import terms as k
from optigpu.logic.judge import Solver
from optigpu.runtime.call_error import CallError
from optigpu.solver.answer_cache import CachedSolver, query_key
from optigpu.solver.sealed_entries import SealedEntries
from optigpu.solver.z3_solver import Z3Solver
from optigpu.syntax.program import Program
from tests.conftest import ROOT
from tests.support.verdicts import verdict_of

GOOD = """#include <optigpu.h>
void one(float* a, int n) {
  __requires("n >= 0");
  __writes("a ~> Matrix1(n, fun i -> 1)");
  for (int i = 0; i < n; i++) a[i] = 1;
}
"""
WRONG = GOOD.replace("a[i] = 1;", "a[i] = 2;")
OUTSIDE = GOOD.replace("i < n", "i <= n")


def script(tmp_path: Path, text: str, verifier: Any = None) -> og.Script:
    file = tmp_path / "one.c"
    file.write_text(text, encoding="utf-8")
    return og.Script(file, verifier=verifier)


class Yes(Verifier):
    """Has verified everything, and can even show the proof of something else."""

    def __init__(self, proof_of: str = "") -> None:
        super().__init__(Settings())
        self.proof: list[Any] = []
        if proof_of:
            self.proof = super().verify(parse_text(proof_of)).functions[0].proof

    def verify(self, program: Program, only: str | None = None) -> ProgramResult:
        names = [f.name for f in program.functions()]
        functions = [FunctionResult(name, Verdict.VERIFIED, 0.0, proof=self.proof) for name in names]
        return ProgramResult(program.file, functions, [], [], "z3")


def emitted(s: og.Script, tmp_path: Path) -> bool:
    """Is code made? If not, there is no file."""
    try:
        s.emit(tmp_path / "out.c")
    except CallError as e:
        assert "replayed" in str(e) and not (tmp_path / "out.c").exists()
        return False
    return True


def test_a_verified_program_is_emitted(tmp_path: Path) -> None:
    assert emitted(script(tmp_path, GOOD), tmp_path)
    assert main(["audit", str(tmp_path / "out.c"), "--certificate", str(tmp_path / "out.cert.json")]) == 0


@pytest.mark.parametrize("proof", ["", GOOD])
@pytest.mark.parametrize("text", [WRONG, OUTSIDE])
def test_a_verifier_that_agrees_to_everything_emits_nothing(tmp_path: Path, text: str, proof: str) -> None:
    s = script(tmp_path, text, Yes(proof))
    assert not emitted(s, tmp_path)
    for make in (s.build, s.cuda, s.built_cuda):
        with pytest.raises(CallError, match="replayed"):
            make()


def test_assumptions_that_a_verifier_hides_are_found(tmp_path: Path) -> None:
    class Silent(Verifier):
        def verify(self, program: Program, only: str | None = None) -> ProgramResult:
            return replace(super().verify(program, only), axioms=[], admitted=[])

    text = (ROOT / "examples" / "reduce.c").read_text(encoding="utf-8")
    (tmp_path / "reduce").mkdir()
    s = script(tmp_path, text, Silent(Settings()))
    with pytest.raises(CallError, match=r"ledger|rests on something else"):
        s.emit(tmp_path / "out.c")


def test_a_patched_kernel_emits_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In this process every obligation is now met. The verdict may be wrong here; nothing that leaves is."""
    monkeypatch.setattr(conditions.SideConditions, "require", lambda *args, **data: None)
    monkeypatch.setattr(conditions.SideConditions, "require_contents", lambda *args, **data: None)
    s = script(tmp_path, WRONG)
    assert s.result.verified
    assert not emitted(s, tmp_path)
    text = certificate_of(s.program, s.result)
    (tmp_path / "c.json").write_text(text, encoding="utf-8")
    assert main(["audit", str(tmp_path / "one.c"), "--certificate", str(tmp_path / "c.json")]) == 1


def test_a_patched_solver_emits_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Z3Solver, "valid", lambda self, facts, goal: True)
    monkeypatch.setattr(sealed.inner_judge.ObligationJudge, "proves", lambda self, facts, goal, count=True: True)
    monkeypatch.setattr("optigpu.check.verify.contract_problem", lambda *args: None)  # which would find a contradiction
    s = script(tmp_path, OUTSIDE, Verifier(Settings()))
    assert s.result.verified
    assert not emitted(s, tmp_path)


def test_remembered_results_are_recognised(tmp_path: Path) -> None:
    """A result that somebody put among the remembered ones is not one: the function is proved again, or is not."""
    verifier = Verifier(Settings())
    good, wrong = parse_text(GOOD), parse_text(WRONG)
    assert verifier.verify(good).verified and verifier.verify(good).verified
    remembered = verifier.proved["one"]
    assert verdict_of(WRONG, verifier=verifier) == "OG305 4:13"
    elaborated = elaborate(wrong)
    f = elaborated.program.functions["one"]
    for theorem in (remembered.result.theorem, Theorem(f, (), (), False), None):
        result = replace(remembered.result, theorem=theorem)
        verifier.proved["one"] = replace(remembered, basis=proof_basis(f, elaborated), result=result)
        assert verdict_of(WRONG, verifier=verifier) == "OG305 4:13"
    assert remembered.basis != verifier.proved["one"].basis


def test_the_other_process_is_isolated(tmp_path: Path) -> None:
    """Neither PYTHONPATH nor the current folder nor a file that Python runs at its start leads into it."""
    for name in ("sitecustomize.py", "usercustomize.py", "z3.py", "lark.py", "json.py"):
        (tmp_path / name).write_text("raise SystemExit('touched')\n", encoding="utf-8")
    (tmp_path / "one.c").write_text(GOOD, encoding="utf-8")
    code = (
        "import os, sys; from optigpu.check.replay import Replayer; from optigpu.check.verify import Verifier\n"
        "from optigpu.check.certify import certificate_of; from optigpu.frontend import parse_file\n"
        "p = parse_file('one.c'); text = certificate_of(p, Verifier().verify(p))\n"
        "os.environ['PYTHONPATH'] = os.getcwd(); os.environ['PYTHONSTARTUP'] = 'z3.py'\n"
        "sys.exit(not Replayer().replay(text).theorems)"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONSAFEPATH": "1"}
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, check=False)
    assert done.returncode == 0


def test_a_process_that_was_killed_is_started_again() -> None:
    program = parse_text(GOOD)
    text = certificate_of(program, Verifier().verify(program))
    replayer = Replayer()
    try:
        assert replayer.replay(text).theorems
        assert replayer._process is not None
        replayer._process.kill()
        replayer._process.wait()
        assert replayer.replay(text).theorems
        with pytest.raises(ValueError):
            replayer.replay("{}")
        assert replayer.replay(text).theorems
    finally:
        replayer.close()


# The cache of answers


X = k.var("x", k.INT)
GOAL = k.eq(k.fmod(X, k.num(3)), k.ZERO)  # of which the solver says no


class Never(Solver):
    """The same solver by name, which must not be asked."""

    description = Z3Solver().description

    def valid(self, facts: Sequence[k.Term], goal: k.Term) -> bool:
        raise AssertionError


def forge(folder: Path, code: object, text: object) -> None:
    database = sqlite3.connect(folder / "answers.sqlite")
    key = query_key(Z3Solver().description, [], GOAL)
    with database:
        database.execute("INSERT OR REPLACE INTO entries VALUES (?, ?, ?)", (key, code, text))
    database.close()


def kept(folder: Path, store: str = "answers.sqlite") -> tuple[bytes, str]:
    database = sqlite3.connect(folder / store)
    ((code, text),) = database.execute("SELECT code, text FROM entries").fetchall()
    database.close()
    return code, text


def test_answers_are_kept_under_a_secret_of_the_user(tmp_path: Path) -> None:
    """A file of answers from elsewhere is not believed, also if its maker knows how answers are written."""
    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    assert not CachedSolver(Z3Solver(), mine).valid([], GOAL)
    assert not CachedSolver(Never(), mine).valid([], GOAL)  # from the cache
    secret = mine / "answers.key"
    assert len(secret.read_bytes()) == 32 and secret.stat().st_mode & 0o077 == 0
    assert CachedSolver(Agreeing(), theirs).valid([], GOAL)
    code, text = kept(mine)
    assert text == "no" and kept(theirs)[1] == "yes"
    for forged in (
        kept(theirs),
        (code, "yes"),
        (b"", "yes"),
        (None, "yes"),
        (code.hex(), "yes"),
        (code, None),
        (code, 1),
    ):
        forge(mine, *forged)
        assert not CachedSolver(Z3Solver(), mine).valid([], GOAL)


def test_the_answer_to_one_question_is_not_that_to_another(tmp_path: Path) -> None:
    """An authentic `yes` of the user's own cache is moved under the key of a question whose answer is no."""
    assert CachedSolver(Z3Solver(), tmp_path).valid([GOAL], GOAL)
    code, text = kept(tmp_path)
    assert text == "yes"
    forge(tmp_path, code, text)
    assert not CachedSolver(Z3Solver(), tmp_path).valid([], GOAL)


def test_an_entry_of_another_store_is_no_answer(tmp_path: Path) -> None:
    key = query_key(Z3Solver().description, [], GOAL)
    SealedEntries(tmp_path, "verdicts.sqlite").write(key, "yes")
    assert not CachedSolver(Z3Solver(), tmp_path).valid([], GOAL)
    forge(tmp_path, *kept(tmp_path, "verdicts.sqlite"))
    assert kept(tmp_path)[1] == "yes"
    assert not CachedSolver(Z3Solver(), tmp_path).valid([], GOAL)


@pytest.mark.parametrize("text", ["", "True", "1", "YES", "yes "])
def test_an_authentic_entry_that_is_no_answer_is_none(tmp_path: Path, text: str) -> None:
    SealedEntries(tmp_path, "answers.sqlite").write(query_key(Z3Solver().description, [], GOAL), text)
    assert not CachedSolver(Z3Solver(), tmp_path).valid([], GOAL)
    assert not CachedSolver(Never(), tmp_path).valid([], GOAL)  # it was replaced


class Agreeing(Solver):
    description = Z3Solver().description

    def valid(self, facts: Sequence[k.Term], goal: k.Term) -> bool:
        return True


def test_a_secret_that_others_can_read_is_none(tmp_path: Path) -> None:
    assert CachedSolver(Agreeing(), tmp_path).valid([], GOAL)
    assert CachedSolver(Z3Solver(), tmp_path).valid([], GOAL)  # whoever has the secret is believed
    secret = tmp_path / "answers.key"
    secret.chmod(0o644)
    assert not CachedSolver(Z3Solver(), tmp_path).valid([], GOAL)
    secret.chmod(0o600)
    secret.write_bytes(b"short")
    assert not CachedSolver(Z3Solver(), tmp_path).valid([], GOAL)


def test_an_audit_does_not_believe_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the secret one can make up answers. A check believes them, an audit does not."""
    monkeypatch.setenv("OPTIGPU_CACHE", str(tmp_path / "cache"))
    square = '__requires("n >= 0, x: int, y: int"); __ensures("x * x + y * y >= 2 * x * y");'
    text = GOOD.replace('__requires("n >= 0");', square)  # it is so, but no solver of ours can tell
    file = tmp_path / "one.c"
    file.write_text(text, encoding="utf-8")
    assert main(["check", str(file)]) == 1
    monkeypatch.setattr(Z3Solver, "valid", lambda self, facts, goal: True)  # fills the cache with lies
    (tmp_path / "cache" / "answers.sqlite").unlink()
    assert main(["check", str(file)]) == 0
    monkeypatch.undo()
    monkeypatch.setenv("OPTIGPU_CACHE", str(tmp_path / "cache"))
    assert main(["check", str(file)]) == 0
    assert main(["audit", str(file)]) == 1
