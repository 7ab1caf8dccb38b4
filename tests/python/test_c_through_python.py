"""Programs in C, printed as Python and translated back, are the programs that they were."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from optigpu.frontend import parse_file
from optigpu.frontend.python.python_program import file_program
from optigpu.light_dataclass import replace
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.printer import print_program
from optigpu.syntax.program import Include, Program
from tests.conftest import EXAMPLES, ROOT
from tests.support.python_printing import Unprintable, printed_in_python
from tests.support.python_programs import names_of

KERNELBENCH = sorted((ROOT / "examples" / "kernelbench").glob("*.c"))
CASES = sorted((ROOT / "tests" / "cases").glob("*/*.c"))
# Python has one word for these: an index has 64 bits by its bounds, and a number of the module that nothing uses is no macro.
OTHER_FORM = {"negative_index_unsigned_bound", "macro_named_as_type", "macro_named_true"}


def text_of(program: Program) -> str:
    """A program without its headers; in Python a variable is `const` if it is never assigned again."""
    items = tuple(i for i in program.items if not isinstance(i, Include))
    return re.sub(r"const (?=\w+ \w+ =)", "", print_program(replace(program, items=items)))


def through_python(path: Path, folder: Path) -> str:
    """Whether a program comes back as it was, or why it has no form in Python."""
    try:
        program = parse_file(path)
        text = printed_in_python(program)
    except (InputError, Unprintable):
        return "not printed"
    made = folder / f"{re.sub(r'[^a-z0-9]', '_', path.stem.lower())}.py"
    made.write_text(text, encoding="utf-8")
    try:
        back = file_program(str(made), names_of(made))
    except InputError as e:
        return f"refused {e.diagnostic.code}"
    if back is None:
        return "no program"
    assert text_of(back) == text_of(program) or path.stem in OTHER_FORM, path
    return "same"


@pytest.mark.parametrize(
    ("paths", "least"), [(EXAMPLES, 26), (KERNELBENCH, 96), (CASES, 240)], ids=["examples", "kernelbench", "cases"]
)
def test_c_comes_back_from_python(paths: list[Path], least: int, tmp_path: Path) -> None:
    found = Counter(through_python(p, tmp_path) for p in paths)
    assert found["same"] >= least, found
    assert sum(n for why, n in found.items() if why.startswith("refused")) <= 15, found
