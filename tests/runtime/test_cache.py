"""The cache of compiled code: damaged entries, killed and endless compilers, its size, folders that cannot be used."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from optigpu.cli import main
from optigpu.codegen.c import emit_c
from optigpu.frontend import parse_file
from optigpu.logic import terms as k
from optigpu.runtime import compilers, nvrtc
from optigpu.runtime import disk_cache as cache
from optigpu.runtime.call_error import BuildError
from optigpu.runtime.compilers import compile_c, run_compiler
from optigpu.runtime.disk_cache import cached_file
from optigpu.solver import answer_cache as answers
from optigpu.solver import entry_table
from optigpu.solver.z3_solver import Z3Solver
from tests.conftest import ROOT
from tests.support.compiling import compiled_copy, copies

COPY = ROOT / "examples" / "copy.c"
TEXT = "int f(void) { return 3; }\n"
LONG_AGO = (1.0, 1.0)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OPTIGPU_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("OPTIGPU_CACHE_BYTES", raising=False)
    cache._own_folder.cache_clear()
    return tmp_path / "cache"


class Making:
    """Writes so many bytes, and counts how often."""

    def __init__(self, size: int = 3) -> None:
        self.size, self.count = size, 0

    def __call__(self, path: Path) -> None:
        self.count += 1
        path.write_bytes(b"x" * self.size)


# Damage


@pytest.mark.parametrize(
    "damage", ["cut off", "empty", "changed", "gone", "no checksum", "a folder", "a folder for a checksum"]
)
def test_a_damaged_entry_is_made_again(damage: str, folder: Path) -> None:
    make = Making(4096)
    path = cached_file("key", ".so", make)
    check = Path(f"{path}.sha256")
    whole = path.read_bytes()
    match damage:
        case "cut off":
            os.truncate(path, 1000)
        case "empty":
            os.truncate(path, 0)
        case "changed":
            path.write_bytes(b"y" + whole[1:])
        case "gone":
            path.unlink()
        case "no checksum":
            check.unlink()
        case "a folder":
            path.unlink()
            (path / "inside").mkdir(parents=True)
        case _:
            check.unlink()
            check.mkdir()
    assert cached_file("key", ".so", make) == path and path.read_bytes() == whole and make.count == 2
    assert cached_file("key", ".so", make) == path and make.count == 2
    assert sorted(p.name for p in folder.iterdir()) == ["key.so", "key.so.sha256"]


@pytest.mark.parametrize("size", [0, 100, 5000])
def test_a_library_that_was_cut_off_is_compiled_again(size: int) -> None:
    """It would end the process by SIGBUS, or be an error at every call."""
    path = compile_c(emit_c(parse_file(str(COPY))))  # and not loaded here
    copying = "from tests.support.compiling import compiled_copy, copies; assert copies(compiled_copy())"
    code = f"import os; os.truncate({str(path)!r}, {size}); {copying}"
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}
    for _ in range(2):
        subprocess.run([sys.executable, "-c", code], env=environment, check=True)
    assert path.stat().st_size > 5000 and copies(compiled_copy())


# Compilers that are killed, or never end

HANGS = """
import time
from pathlib import Path
from optigpu.runtime.disk_cache import cached_file
def make(path):
    path.write_bytes(b"half")
    print("started", flush=True)
    time.sleep(600)
cached_file("key", ".so", make)
"""


def test_what_a_killed_compile_left_is_removed(folder: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    process = subprocess.Popen([sys.executable, "-c", HANGS], env=environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "started\n"
    cached_file("other", ".so", Making())
    (left,) = folder.glob("new-*")  # it is still at work
    assert (left / "key.so").read_bytes() == b"half"
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert left.exists()
    (folder / "new-before-its-lock").mkdir()
    cached_file("third", ".so", Making())
    assert not list(folder.glob("new-*"))
    assert cached_file("key", ".so", Making()).read_bytes() == b"xxx"


def test_a_compile_inside_a_compile_keeps_both() -> None:
    def make(path: Path) -> None:
        path.write_bytes(cached_file("inner", ".o", Making(2)).read_bytes())
        assert path.parent.exists()

    assert cached_file("outer", ".so", make).read_bytes() == b"xx"


def test_a_compiler_that_never_ends_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """And what it started, which holds the pipe open."""
    compiler = tmp_path / "cc"
    compiler.write_text(f"#!/bin/sh\nsleep 600 & echo $! > {tmp_path}/child\nwait\n", encoding="utf-8")
    compiler.chmod(0o755)
    monkeypatch.setattr(compilers, "c_compiler", lambda: str(compiler))
    monkeypatch.setattr(compilers, "version_of", lambda compiler: "endless")
    monkeypatch.setenv("OPTIGPU_COMPILE_SECONDS", "0.5")
    with pytest.raises(BuildError, match=r"did not finish with the generated C within 0.5 s \(OPTIGPU_COMPILE_SECONDS"):
        compile_c(TEXT)
    assert list(folder.iterdir()) == []
    child = tmp_path / "child"
    if child.exists():  # a slow machine may not have come so far
        state = Path(f"/proc/{child.read_text().strip()}/stat")
        assert not state.exists() or state.read_text().rsplit(")", 1)[1].split()[0] in "ZX"


def test_nvrtc_that_never_ends_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    from threading import Event

    end = Event()
    monkeypatch.setattr(nvrtc, "_compiled", lambda text, options: bytes(end.wait()))
    monkeypatch.setenv("OPTIGPU_COMPILE_SECONDS", "0.1")
    with pytest.raises(BuildError, match="NVRTC did not finish"):
        nvrtc._compiled_in_time("", ())
    end.set()
    monkeypatch.setattr(nvrtc, "_compiled", lambda text, options: b"code")
    monkeypatch.delenv("OPTIGPU_COMPILE_SECONDS")
    assert nvrtc._compiled_in_time("", ()) == b"code"


@pytest.mark.parametrize("setting", ["x", "-1", "0", "nan", "inf", "1e30"])
def test_a_time_limit_is_a_number(setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPTIGPU_COMPILE_SECONDS", setting)
    with pytest.raises(BuildError, match="OPTIGPU_COMPILE_SECONDS is a number of seconds"):
        compile_c(TEXT)


def test_a_compiler_that_cannot_be_run_is_said(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="cannot be run"):
        run_compiler([str(tmp_path / "none")], "the generated C")


# Size


def test_what_was_not_used_for_longest_goes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPTIGPU_CACHE_BYTES", "250")
    for n, name in enumerate(("a", "b", "c")):
        path = cached_file(name, ".so", Making(100))
        os.utime(path, (n + 1.0, n + 1.0))
    cached_file("a", ".so", Making(100))  # used again
    make = Making(100)
    cached_file("d", ".so", make)
    assert sorted(p.name for p in folder.glob("*.so")) == ["a.so", "d.so"]
    assert sorted(p.name for p in folder.iterdir()) == ["a.so", "a.so.sha256", "d.so", "d.so.sha256"]


def test_what_is_in_use_stays(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process may be about to load it; also a file that is no entry."""
    monkeypatch.setenv("OPTIGPU_CACHE_BYTES", "1")
    folder.mkdir()
    (folder / "mine.txt").write_text("x" * 1000, encoding="utf-8")
    os.utime(folder / "mine.txt", LONG_AGO)
    for name in ("a", "b"):
        cached_file(name, ".so", Making(100))
    assert sorted(p.name for p in folder.iterdir()) == ["a.so", "a.so.sha256", "b.so", "b.so.sha256", "mine.txt"]
    monkeypatch.setenv("OPTIGPU_CACHE_BYTES", "many")
    with pytest.raises(BuildError, match="OPTIGPU_CACHE_BYTES is a number of bytes"):
        cached_file("c", ".so", Making())


def test_answers_that_are_too_many_go(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    goal = k.lt(k.ZERO, k.var("x", k.INT))
    assert answers.CachedSolver(Z3Solver(), folder).valid([goal], goal)

    def count() -> int:
        with sqlite3.connect(folder / "answers.sqlite") as database:
            return int(database.execute("SELECT COUNT(*) FROM entries").fetchone()[0])

    assert count() == 1
    other = k.lt(k.num(-1), k.var("x", k.INT))
    answers.CachedSolver(Z3Solver(), folder).valid([goal], other)
    assert count() == 2
    monkeypatch.setattr(entry_table, "MAX_ENTRIES_BYTES", 10)
    answers.CachedSolver(Z3Solver(), folder).valid([goal], goal)
    assert count() == 1


# Folders


def unusable(kind: str, tmp_path: Path) -> str:
    match kind:
        case "a file":
            (tmp_path / "file").write_text("x", encoding="utf-8")
            return str(tmp_path / "file")
        case "below a file":
            (tmp_path / "file").write_text("x", encoding="utf-8")
            return str(tmp_path / "file" / "cache")
        case _:
            return "/proc/nothing"


@pytest.mark.parametrize("kind", ["a file", "below a file", "not writable"])
def test_a_folder_that_cannot_be_used_is_replaced_with_a_warning(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPTIGPU_CACHE", unusable(kind, tmp_path))
    with pytest.warns(UserWarning, match="cannot be used: .*OPTIGPU_CACHE") as warned:
        f = compiled_copy()
    assert copies(f) and copies(compiled_copy())
    assert len([w for w in warned if w.category is UserWarning]) == 1
    assert compiled_copy().path == f.path and f.path.parent != tmp_path


def test_the_folder_of_a_process_goes_with_it(tmp_path: Path) -> None:
    code = "from tests.support.compiling import compiled_copy, copies; f = compiled_copy(); assert copies(f); print(f.path)"
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}", "OPTIGPU_CACHE": "/proc/nothing"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert "cannot be used" in done.stderr
    assert not Path(done.stdout.strip()).parent.exists()


def test_commands_say_so_and_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPTIGPU_CACHE", unusable("a file", tmp_path))
    assert main(["run-c", str(COPY)]) == 0
    captured = capsys.readouterr()
    assert captured.err.startswith("warning: the cache folder") and captured.err.count("\n") == 1
    assert "agree" in captured.out


def test_no_folder_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPTIGPU_CACHE", unusable("a file", tmp_path))
    monkeypatch.setattr(
        "tempfile.mkdtemp", lambda **_: (_ for _ in ()).throw(FileNotFoundError(2, "No usable directory"))
    )
    with pytest.raises(BuildError, match=r"cannot be used.*; nor can"):
        compiled_copy()
