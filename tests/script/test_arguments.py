"""Wrong arguments of transformations: each is reported as an error at a line of the script; no traceback shows our code."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import optigpu as og
from optigpu.cli import main
from optigpu.frontend import parse_text
from optigpu.runtime.call_error import CallError
from optigpu.script.arguments import fits
from optigpu.syntax.diagnostic import InputError
from optigpu.transform.cards import Card, cards
from optigpu.transform.registry import GROUPS
from tests.conftest import ROOT
from tests.support.card_context import CONTEXT, AcceptingVerifier

COPY = ROOT / "examples" / "copy.c"
WRONG: list[Any] = [
    None, True, 0, -1, 3, 10**30, 3.5, b"x", object(), int, [], ["i"], [("0", "n")], {}, {"a": 3}, og.pad(1),
    "", "nowhere", "n", "a b", "(", "1/0", '"', "é", "int", "a\0b", "x" * 1000, "-" * 5000 + "1",
    "} void g() {", "1; } int g() { return 2", "} for (int q = 0; q < 1; q++) {", "#define q 3\n", "__pure();", "a[0] = 1.0f",
    og.For("nowhere"), og.For("i"), og.For("i").nth(99), og.In("g") / og.For("i"),
    og.For(3), og.For("i", body="x"), og.For("i").nth("z"), og.In(3) / og.For("i"),  # type: ignore[arg-type]
]  # fmt: skip


class Noted:
    """What a step is called with."""

    def __init__(self) -> None:
        self.args: tuple[Any, ...] = ()
        self.kwargs: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Noted:
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        self.args, self.kwargs = args, kwargs


def wrong_calls(card: Card, values: Sequence[Any]) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    """The call of a card with one argument made wrong, left out, or too many."""
    family, name = card.name.split(".")
    noted = Noted()
    eval(card.step, {"s": noted, **{n: getattr(og, n) for n in ("For", "Write", "Read", "Decl", "Call", "If")}})
    args, kwargs = noted.args, noted.kwargs
    owner = next(f for f in GROUPS if f.name == family)
    _, *parameters = inspect.signature(getattr(owner, name)).parameters.values()
    free = [p.name for p in parameters[len(args) :] if p.kind is not p.VAR_POSITIONAL]
    yield (), {}
    yield (*args, 1, 2, 3), kwargs
    yield args, {**kwargs, "nonsense": 1}
    for value in values:
        yield from (((*args[:i], value, *args[i + 1 :]), kwargs) for i in range(len(args)))
        yield from ((args, {**kwargs, key: value}) for key in free)


@pytest.mark.parametrize("card", cards(), ids=lambda c: c.name)
def test_wrong_arguments_are_told_at_the_line_of_the_script(card: Card) -> None:
    family, name = card.name.split(".")
    program = parse_text(CONTEXT.format(body=card.before))
    refused = 0
    for args, kwargs in wrong_calls(card, WRONG):
        step = getattr(getattr(og.Script(program, function="f", verifier=AcceptingVerifier()), family), name)
        try:
            step(*args, **kwargs)
        except InputError as e:
            places = [e.diagnostic.loc, *(label.loc for label in e.diagnostic.labels)]
            assert any(p.file == __file__ and p.line for p in places), (args, kwargs, e)
            refused += 1
        except CallError:
            refused += 1
    assert refused >= 2


@pytest.mark.parametrize(
    ("value", "hint", "yes"),
    [
        (3, int, True), (True, int, False), (3, int | None, True), (None, int | None, True), ("3", int, False), (3, float, False),
        (["a"], Sequence[str], True), ("a", Sequence[str], False), ([1], Sequence[str], False), ([], Sequence[str], True),
        ([(1, 2)], Sequence[tuple[int, int]], True), ([(1,)], Sequence[tuple[int, int]], False), (3, Any, True),
    ],
)  # fmt: skip
def test_values_and_types(value: Any, hint: Any, yes: bool) -> None:
    assert fits(value, hint) == yes


def test_own_transformations_are_checked_by_their_signatures() -> None:
    @og.transformation
    def mine(s: og.Script, n: int, later: NotThere = None) -> int:  # type: ignore[name-defined]  # noqa: F821
        return n

    @og.transformation
    def plain(s, n: int):  # type: ignore[no-untyped-def]
        return n

    s = og.Script(COPY)
    assert mine(s, 3) == 3 and plain(s, 3) == 3
    with pytest.raises(InputError, match="missing a required argument"):
        mine(s)
    with pytest.raises(InputError, match="`n` cannot be 3"):
        plain(s, "3")
    assert len(s.steps) == 3


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("s.find('zz')", "x.py:3:1: error[OG601]"),
        ("s.find(None)", "x.py:3:1: error[OG604]"),
        ("s.find('i', 'zz')", "x.py:3:1: error[OG604]"),
        ("s.loop.tile('i', 'x y')", "x.py:3:1: error[OG604]"),
        ("s.loop.tile('i')", "x.py:3:1: error[OG604]"),
        ("s.loop.tile(og.For('i') / 'x', 3)", "x.py:3:1: error[OG604]: after `/` stands a target"),
        ("s.loop.unroll(s.find('i').child(9))", "x.py:3:1: error[OG601]"),
        ("s.instr.insert('} void g() {', before='i')", "x.py:3:1: error[OG604]"),
        ("og.Script('copy.c', function='g')", "x.py:3:1: error[OG601]"),
        ("og.Script(3)", "x.py:3: error: a script is of a C file or of a function under @og.program, not of int"),
        ("s.build('zz')", "x.py:3: error: there is no function `zz`"),
        ("s.build()(1, 2, 3)", "x.py:3: error: copy: `a` is an array"),
        ("s.emit('.')", "x.py:3: error: [Errno 21] Is a directory: '.'"),
        ("s.emit('copy.c/x.c')", "x.py:3: error: [Errno 17]"),
        ("class Odd(BaseException): pass\nraise Odd('so')", "x.py:4: error: Odd: so"),
        ("x = '\0'", "x.py:1:1: error: the script cannot be read: source code string cannot contain null"),
        ("x = " + "-" * 100_000 + "1", "x.py:1:1: error: the script cannot be read"),
    ],
    ids=lambda x: x[:30],
)
def test_errors_of_scripts_have_a_place(
    line: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("copy.c").write_bytes(COPY.read_bytes())
    Path("x.py").write_text(f"import optigpu as og\ns = og.Script('copy.c')\n{line}\n", encoding="utf-8")
    assert main(["run", "--no-trace", "x.py"]) == 2
    err = capsys.readouterr().err
    assert err.startswith(says), err
    assert "internal error" not in err and 'File "' not in err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["copy.c", "x.py"]


def test_a_rejected_step_that_is_caught_does_not_speak_for_the_script(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The program is as before the step: verified, and what is emitted from it says so."""
    script = tmp_path / "x.py"
    script.write_text(
        f"import optigpu as og\ns = og.Script({str(ROOT / 'examples' / 'gpu' / 'vector_add.c')!r})\n"
        "try:\n  s.instr.delete(og.Write('d_c'))\nexcept og.StepError:\n  pass\n"
        f"s.emit({str(tmp_path / 'x.cu')!r})\nprint(len(s._repr_html_()))\n",
        encoding="utf-8",
    )
    assert main(["run", "--no-trace", str(script)]) == 0
    assert "\nVERIFIED 0 steps" in capsys.readouterr().out
    assert (
        "VERIFIED 0 steps" in (text := (tmp_path / "x.cu").read_text(encoding="utf-8")) and "NOT VERIFIED" not in text
    )
