"""Verdicts of earlier runs: an unchanged program is not checked again, and no entry stands for another program or checker."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from optigpu import loaded
from optigpu.api import Script
from optigpu.check import checker_source, remembered_verdicts
from optigpu.check.certify import certificate_of
from optigpu.check.verdict import ProgramResult, Verdict
from optigpu.check.verify import Settings, Verifier
from optigpu.cli import main
from optigpu.frontend import parse_text
from optigpu.kernel import Theorem
from optigpu.loaded import folders_below
from optigpu.runtime.call_error import CallError
from optigpu.search.execute import Executor
from optigpu.syntax.program import Program
from tests.conftest import ROOT

TEXT = """#include <optigpu.h>

void fill(int n, int* a) {
  __requires("n >= 0");
  __writes("a ~> Matrix1(n, fun i -> i + 1)");
  for (int i = 0; i < n; i++) {
    a[i] = i + 1;
  }
}
"""
WRONG = TEXT.replace("a[i] = i + 1", "a[i] = i + 2")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OPTIGPU_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


class Searched(Exception):
    """A function was executed, which a remembered verdict makes unnecessary."""


@pytest.fixture
def no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    forbid_search(monkeypatch)


def forbid_search(monkeypatch: pytest.MonkeyPatch) -> None:
    def verify(self: Executor, name: str) -> None:
        raise Searched

    monkeypatch.setattr(Executor, "verify", verify)


def program(text: str = TEXT) -> Program:
    return parse_text(text, "fill.c")


def result(folder: Path, text: str = TEXT, **settings: bool | int) -> ProgramResult:
    return Verifier(Settings(folder, **settings)).verify(program(text))  # type: ignore[arg-type]


def is_remembered(monkeypatch: pytest.MonkeyPatch, folder: Path, text: str = TEXT, **settings: bool | int) -> bool:
    with monkeypatch.context() as patch:
        forbid_search(patch)
        try:
            result(folder, text, **settings)
        except Searched:
            return False
        return True


def change_entries(folder: Path, statement: str, *values: object) -> None:
    database = sqlite3.connect(folder / "verdicts.sqlite")
    with database:
        assert database.execute(statement, values).rowcount
    database.close()


def entry(folder: Path) -> tuple[str, bytes, str]:
    database = sqlite3.connect(folder / "verdicts.sqlite")
    ((key, code, text),) = database.execute("SELECT key, code, text FROM entries").fetchall()
    database.close()
    return key, code, text


def test_an_unchanged_program_is_not_checked_again(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = result(cache)
    with monkeypatch.context() as patch:
        forbid_search(patch)
        second = result(cache)
    assert second.verified and second.solver == first.solver
    for a, b in zip(first.functions, second.functions, strict=True):
        assert (a.name, a.verdict, a.normaliser, a.solver) == (b.name, b.verdict, b.normaliser, b.solver)


@pytest.mark.parametrize(
    "old, new", [("i + 1;", "i + 2;"), ("n >= 0", "n >= 1"), ("i < n", "i <= n"), ("int i = 0", "int i = 1")]
)
def test_a_changed_program_is_checked(cache: Path, old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    result(cache)
    assert not is_remembered(monkeypatch, cache, TEXT.replace(old, new))


def test_places_do_not_matter_for_a_verified_program(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result(cache)
    assert is_remembered(monkeypatch, cache, "// a comment\n\n" + TEXT.replace("  for", "        for"))


@pytest.mark.parametrize("settings", [{"seed": 1}, {"unbounded": True}])
def test_other_settings_are_another_check(
    cache: Path, settings: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    result(cache)
    assert not is_remembered(monkeypatch, cache, **settings)
    result(cache, **settings)
    assert is_remembered(monkeypatch, cache, **settings)


def test_a_part_of_a_program_is_another_question(cache: Path, no_search: None) -> None:
    with pytest.raises(Searched):
        Verifier(Settings(cache)).verify(program(), "fill")


def test_without_a_folder_nothing_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    verify_twice = Verifier(Settings())
    assert verify_twice.verify(program()).verified
    assert verify_twice.verify(program()).functions[0].proof


def test_another_version_checks_again(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result(cache)
    monkeypatch.setattr(remembered_verdicts, "TOOL", "another")
    assert not is_remembered(monkeypatch, cache)


def test_another_checker_checks_again(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result(cache)
    monkeypatch.setattr(remembered_verdicts, "checker_hash", lambda: "another")
    assert not is_remembered(monkeypatch, cache)


def test_a_checker_whose_source_was_changed_remembers_nothing(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its verdicts are those of the files that were loaded."""
    with monkeypatch.context() as patch:
        patch.setattr(remembered_verdicts, "is_as_loaded", lambda: False)
        assert result(cache).verified
    assert not is_remembered(monkeypatch, cache)


def test_a_checker_whose_source_is_not_known_recalls_nothing(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result(cache)
    with monkeypatch.context() as patch:
        patch.setattr(remembered_verdicts, "checker_hash", lambda: None)
        assert not is_remembered(patch, cache)
        assert result(cache).functions[0].proof
    assert is_remembered(monkeypatch, cache)


def test_no_functions_are_no_verdict_on_all(cache: Path) -> None:
    assert Verifier(Settings(cache)).verify(program(WRONG), only=set()).functions == []
    assert result(cache, WRONG).failures


CHECKED_FILES = (
    "light_dataclass.py",
    "kernel/loop_rules.py",
    "search/execute.py",
    "frontend/c.lark",
    "frontend/c.table.json",
)


@pytest.fixture(scope="module")
def source_copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    copy = tmp_path_factory.mktemp("source") / "optigpu"
    shutil.copytree(ROOT / "src" / "optigpu", copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


@pytest.mark.parametrize("changed", CHECKED_FILES)
def test_the_hash_of_the_checker_is_of_its_files(source_copy: Path, changed: str) -> None:
    before = checker_source.source_hash(source_copy)
    file = source_copy / changed
    text = file.read_text(encoding="utf-8")
    file.write_text(text + "\n", encoding="utf-8")
    assert checker_source.source_hash(source_copy) != before
    file.write_text(text, encoding="utf-8")
    assert checker_source.source_hash(source_copy) == before == checker_source.checker_hash()


def loaded_at(when: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the process have started at another time, by both clocks."""
    monkeypatch.setattr(checker_source, "LOADED_AT", when)
    monkeypatch.setattr(checker_source, "STEADY_AT", loaded.STEADY_AT + when - loaded.LOADED_AT)


@pytest.mark.parametrize("changed", CHECKED_FILES)
def test_a_file_that_was_changed_after_the_start_is_noticed(
    source_copy: Path, changed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if its contents and its time are those of before: what was loaded in between is not known."""
    file = source_copy / changed
    about = file.stat()
    newest = max(max(p.stat().st_ctime_ns, p.stat().st_mtime_ns) for p in source_copy.rglob("*"))
    monkeypatch.setattr(checker_source, "ROOT", source_copy)
    monkeypatch.setattr(checker_source, "LOADED_FOLDERS", folders_below(str(source_copy)))
    loaded_at(newest + checker_source.JUST_BEFORE + 1, monkeypatch)
    assert checker_source.is_as_loaded()
    loaded_at(about.st_ctime_ns + checker_source.JUST_BEFORE, monkeypatch)
    assert not checker_source.is_as_loaded()
    loaded_at(newest + checker_source.JUST_BEFORE + 1, monkeypatch)
    other = file.with_name("moved away")
    file.rename(other)
    assert not checker_source.is_as_loaded()
    other.rename(file)


# Entries that are not believed


def test_a_changed_entry_is_not_believed(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result(cache)
    _, code, text = entry(cache)
    change_entries(cache, "UPDATE entries SET text = ?", text.replace('"admitted": []', '"admitted": ["f"]'))
    assert not is_remembered(monkeypatch, cache)
    for damage in (b"", code[:-1], 5, None, code[::-1]):
        change_entries(cache, "UPDATE entries SET text = ?, code = ?", text, damage)
        assert not is_remembered(monkeypatch, cache)
    change_entries(cache, "UPDATE entries SET text = ?, code = ?", text, code)
    assert is_remembered(monkeypatch, cache)


def test_the_entry_of_one_program_is_not_that_of_another(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result(cache)
    verifier = Verifier(Settings(cache))
    wrong_key = verifier.verdicts.key(program(WRONG), None, verifier.solver.description)
    change_entries(cache, "UPDATE entries SET key = ?", wrong_key)
    assert not is_remembered(monkeypatch, cache, WRONG)
    assert not result(cache, WRONG).verified


def test_a_folder_of_another_user_is_not_believed(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    result(theirs)
    result(mine, WRONG)  # makes a secret
    shutil.copy(theirs / "verdicts.sqlite", mine / "verdicts.sqlite")
    assert not is_remembered(monkeypatch, mine)


def test_damaged_files_are_not_used(cache: Path) -> None:
    cache.mkdir()
    (cache / "verdicts.sqlite").write_bytes(b"no database")
    assert result(cache).verified
    assert not result(cache, WRONG).verified


def test_processes_can_write_at_the_same_time(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    verifiers = [Verifier(Settings(cache)) for _ in range(2)]
    assert all(v.verify(program()).verified for v in verifiers)
    assert is_remembered(monkeypatch, cache)


# Rejections


def test_a_rejected_program_is_never_verified_from_memory(cache: Path) -> None:
    for _ in range(2):
        for text in (TEXT, WRONG):
            assert result(cache, text).verified == (text is TEXT)


def test_a_rejection_is_remembered_in_brief(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = result(cache, WRONG).failures[0].problem
    assert first is not None and first.cause is not None
    with monkeypatch.context() as patch:
        forbid_search(patch)
        second = result(cache, WRONG)
    problem = second.failures[0].problem
    assert second.failures[0].verdict is Verdict.UNPROVED and problem is not None
    assert (problem.code, problem.loc, problem.statement, problem.array) == (
        first.code, first.loc, first.statement, first.array,
    )  # fmt: skip
    full = second.in_full().failures[0].problem
    assert full is not None and full.cause is not None


def test_a_rejection_elsewhere_has_its_own_places(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result(cache, WRONG)
    assert not is_remembered(monkeypatch, cache, "\n" + WRONG)


def test_the_command_explains_a_rejection_each_time(
    cache: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "wrong.c"
    file.write_text(WRONG, encoding="utf-8")
    outputs = []
    for _ in range(2):
        assert main(["check", str(file)]) == 1
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1] and "REFUTED" in outputs[0]


# What needs the proof


def test_a_remembered_verdict_has_no_proof_until_it_is_asked_for(cache: Path) -> None:
    first, second = result(cache), result(cache)
    assert second.functions[0].proof == [] and second.functions[0].theorem is None
    assert second.in_full().functions[0].proof == first.functions[0].proof != []
    assert certificate_of(program(), second) == certificate_of(program(), first)


def test_the_command_always_proves(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "fill.c"
    file.write_text(TEXT, encoding="utf-8")
    assert main(["check", str(file)]) == 0
    searched: list[str] = []
    verify = Executor.verify

    def counted(self: Executor, name: str) -> Theorem:
        searched.append(name)
        return verify(self, name)

    monkeypatch.setattr(Executor, "verify", counted)
    result(cache)
    assert searched == ["fill"]
    assert main(["check", str(file)]) == 0 and searched == ["fill", "fill"]


def script(tmp_path: Path) -> Script:
    file = tmp_path / "fill.c"
    file.write_text(TEXT, encoding="utf-8")
    s = Script(file)
    s.loop.tile("i", 4, outer="o", tail="guard")
    return s


def test_a_script_runs_again_without_search(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = script(tmp_path)
    with monkeypatch.context() as patch:
        forbid_search(patch)
        second = script(tmp_path)
        assert second.text() == first.text()
        with pytest.raises(Searched):  # the next step is new
            second.loop.rename("o", "block")
    second.loop.rename("o", "block")
    assert second.result.verified


def test_emission_needs_a_proof(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first emission finds the proof again, later ones replay the one that it left."""
    script(tmp_path)
    with monkeypatch.context() as patch:
        forbid_search(patch)
        remembered = script(tmp_path)
        with pytest.raises(Searched):
            remembered.emit(tmp_path / "out.c")
        assert not (tmp_path / "out.c").exists()
    remembered.emit(tmp_path / "out.c")
    certificate = (tmp_path / "out.cert.json").read_text(encoding="utf-8")
    forbid_search(monkeypatch)
    script(tmp_path).emit(tmp_path / "again.c")
    assert (tmp_path / "again.cert.json").read_text(encoding="utf-8") == certificate


def made_up(folder: Path, proofs: str | None) -> None:
    """Write, with the user's secret, that the wrong program is verified, by these proofs."""
    right = result(folder)
    certificate_of(program(), right)
    assert right.proof_store is not None and right.proof_store.read() is not None
    verifier = Verifier(Settings(folder))
    entries, solver = verifier.verdicts.entries, verifier.solver.description
    assert entries is not None
    right_key, wrong_key = (verifier.verdicts.key(program(text), None, solver) for text in (TEXT, WRONG))
    entries.write(wrong_key, entries.read(right_key) or "")
    entries.write(f"{wrong_key} proofs", (proofs or right.proof_store.read()) or "")


@pytest.mark.parametrize("proofs", [None, '{"terms": [], "proofs": {}}', '{"terms": [], "proofs": {"fill": []}}'])
def test_no_code_is_made_from_what_memory_made_up(cache: Path, tmp_path: Path, proofs: str | None) -> None:
    """Whoever has the secret can write entries. A step believes them, emission does not."""
    made_up(cache, proofs)
    file = tmp_path / "wrong.c"
    file.write_text(WRONG, encoding="utf-8")
    s = Script(file)
    assert s.result.verified
    with pytest.raises(CallError, match="does not hold when it is replayed, so no code is made from it"):
        s.emit(tmp_path / "out.c")
    assert not (tmp_path / "out.c").exists()
    assert main(["audit", str(file)]) == 1


def test_an_audit_says_why_a_program_is_rejected_in_every_run(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A rejection is remembered without its reasons."""
    monkeypatch.setenv("OPTIGPU_CACHE", str(cache))
    file = tmp_path / "wrong.c"
    file.write_text(WRONG, encoding="utf-8")
    said = []
    for _ in range(2):
        assert main(["audit", str(file)]) == 1
        said.append(capsys.readouterr().out)
    assert "need:" in said[0] and said[0] == said[1]


def test_a_trace_shows_the_states_of_remembered_steps(cache: Path, tmp_path: Path) -> None:
    pages = [script(tmp_path).trace(tmp_path / f"{n}.html").read_text(encoding="utf-8") for n in range(2)]
    assert [page.count("points") for page in pages] == [pages[0].count("points")] * 2
    assert abs(len(pages[0]) - len(pages[1])) < 100  # seconds and counts of cached answers differ
