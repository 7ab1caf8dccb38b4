"""What a command does not need is not imported: start-up is most of the time of a short check."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from optigpu.frontend import grammar_tables
from optigpu.frontend.grammar_tables import STARTS, parser_from_grammar, parser_of, table_file, table_text
from optigpu.frontend.program_loading import ghost_library, known_ghosts
from optigpu.solver.z3_queries import z3_version
from optigpu.solver.z3_solver import installed_z3
from tests.conftest import ROOT

IMPORTED = """
import json, sys
sys.path.insert(0, {src!r})
{code}
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""
COMMAND = """
from optigpu.cli import main
try:
    code = main({argv!r})
except SystemExit as e:
    code = e.code
assert not code, code
"""


def imported(code: str, tmp_path: Path) -> set[str]:
    """The modules that are imported after this code, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED.format(src=str(ROOT / "src"), code=code)],
        capture_output=True, text=True, cwd=tmp_path, check=True,
    )  # fmt: skip
    return set(json.loads(done.stderr.splitlines()[-1]))


def test_help_imports_neither_parser_nor_checker(tmp_path: Path) -> None:
    modules = imported(COMMAND.format(argv=["--help"]), tmp_path)
    packages = {m.split(".")[1] for m in modules if m.startswith("optigpu.")}
    assert not modules & {"numpy", "z3", "lark", "cvc5", "greenlet", "sqlite3"}
    assert not packages & {"logic", "kernel", "solver", "frontend", "elaborate", "search", "check", "script", "codegen"}


def test_the_package_imports_nothing(tmp_path: Path) -> None:
    modules = imported("import optigpu", tmp_path)
    assert {m for m in modules if m.startswith("optigpu")} == {"optigpu", "optigpu.loaded", "optigpu.version"}


def test_a_check_imports_what_a_check_needs(tmp_path: Path) -> None:
    modules = imported(COMMAND.format(argv=["check", str(ROOT / "examples" / "sum.c")]), tmp_path)
    packages = {m.split(".")[1] for m in modules if m.startswith("optigpu.")}
    assert not modules & {"numpy", "z3", "cvc5", "greenlet", "optigpu.interp.runner", "optigpu.check.certificate"}
    assert not packages & {"transform", "script", "codegen", "api"}


def test_a_question_to_the_solver_imports_it(tmp_path: Path) -> None:
    ask = (
        "from optigpu.solver.z3_solver import Z3Solver\nfrom optigpu.logic import terms as k\n"
        "x = k.var('x', k.INT)\nassert not Z3Solver().valid([], k.lt(k.ZERO, x))"
    )
    assert "z3" in imported(ask, tmp_path)


def test_the_version_of_the_package_is_that_of_the_library() -> None:
    assert installed_z3() == z3_version()


# The tables of the grammars --------------------------------------------------------------------------------------------------


UNBOUNDED_WIDTH = 2**31


def numbered_in_order(text: str) -> dict[str, Any]:
    """A table with its states numbered in the order in which they are reached, since lark numbers them by chance."""
    stored = json.loads(text)
    data, memo = stored["table"]["data"], stored["table"]["memo"]
    table = data["parser"]["parser"]

    def resolved(value: Any) -> Any:
        if isinstance(value, dict) and "_width" in value:  # a width without bound is another number in each Python
            value = {**value, "_width": [min(width, UNBOUNDED_WIDTH) for width in value["_width"]]}
        if isinstance(value, dict):
            return resolved(memo[str(value["@"])]) if "@" in value else {k: resolved(v) for k, v in value.items()}
        return [resolved(v) for v in value] if isinstance(value, list) else value

    numbers: dict[int, int] = {}
    todo = [table["start_states"][name] for name in sorted(table["start_states"])]
    states = []
    while todo:
        state = todo.pop(0)
        if state not in numbers:
            numbers[state] = len(numbers)
            actions = {table["tokens"][token]: action for token, action in table["states"][str(state)].items()}
            ordered = sorted(actions.items())
            todo += [argument for _, (reduces, argument) in ordered if not reduces]
            states.append(ordered)
    shown = [[(t, r, resolved(a) if r else numbers[a]) for t, (r, a) in actions] for actions in states]
    ends = {name: numbers[state] for name, state in table["end_states"].items()}
    lexer = resolved(data["parser"]["lexer_conf"])
    lexer["terminals"] = sorted(lexer["terminals"], key=lambda terminal: terminal["name"])
    lexer["ignore"] = sorted(lexer["ignore"])
    rules = sorted((resolved(rule) for rule in data["rules"]), key=json.dumps)
    return {"made_from": stored["made_from"], "options": data["options"], "states": shown, "ends": ends} | {
        "lexer": lexer, "rules": rules, "all": len(table["states"]) == len(numbers),
    }  # fmt: skip


@pytest.mark.parametrize("grammar", STARTS)
def test_tables_are_those_of_the_grammars(grammar: str) -> None:
    stored = numbered_in_order(table_file(grammar).read_text(encoding="utf-8"))
    made = numbered_in_order(table_text(grammar))
    assert stored == made, "run tools/grammar_tables.py"


def test_a_changed_table_is_noticed() -> None:
    text = table_file("formula").read_text(encoding="utf-8")
    assert numbered_in_order(text.replace('"PLUS"', '"MINUS"', 1)) != numbered_in_order(text)


@pytest.mark.parametrize("damage", ["", "{}", "[1]", '{"made_from": ["0", "0"], "table": {}}'])
def test_a_table_of_something_else_is_not_used(damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "formula.table.json"
    file.write_text(damage, encoding="utf-8")
    monkeypatch.setattr(grammar_tables, "table_file", lambda grammar: file)
    made = parser_of("formula")
    assert made.parse("x == 1", start="proposition") == parser_from_grammar("formula").parse(
        "x == 1", start="proposition"
    )


def test_a_changed_grammar_does_not_use_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    text = grammar_tables.FOLDER.joinpath("formula.lark").read_text(encoding="utf-8")
    monkeypatch.setattr(grammar_tables, "_text", lambda grammar: text + '\nUNUSED_TOKEN: "unused"\n')
    made = []
    monkeypatch.setattr(grammar_tables, "parser_from_grammar", lambda grammar, **options: made.append(grammar))
    parser_of("formula")
    assert made == ["formula"]


# Ghosts ----------------------------------------------------------------------------------------------------------------------


def test_names_of_ghosts_are_known_without_parsing_them() -> None:
    assert list(known_ghosts()) == list(ghost_library()) == list(known_ghosts().maps[1])
    assert "assert_prop" in known_ghosts() and "no_such_ghost" not in known_ghosts()
    with pytest.raises(KeyError):
        known_ghosts()["no_such_ghost"]
