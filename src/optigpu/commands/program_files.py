"""Programs of files: annotated C is parsed; a Python file is run, since its programs are made by `@og.program`."""

from __future__ import annotations

import runpy
import traceback
from pathlib import Path

from optigpu.commands.local_imports import imports_of
from optigpu.frontend import parse_file
from optigpu.light_dataclass import replace
from optigpu.runtime.call_error import CallError
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.program import Program
from optigpu.syntax.source import Loc

RUN_NAME = "__optigpu_program__"  # of a file that is run for its programs: no module has it


def is_python(file: str) -> bool:
    return file.endswith(".py")


def program_of_file(file: str) -> Program:
    """The program of a C file, or of the functions under `@og.program` of a Python file."""
    if not is_python(file):
        return parse_file(file)
    program = python_program_of(file)
    if program is None:
        raise CallError(f"{file} has no program: @og.program above a function makes one")
    return program


def python_program_of(file: str) -> Program | None:
    """The program of a Python file; None if it has none. Its code runs, but not what stands under `if __name__ == "__main__"`."""
    from optigpu.frontend.python.python_program import file_program  # most commands are on C files

    path = Path(file)
    if not path.is_file():
        raise CallError(f"the file `{file}` does not exist")
    try:
        with imports_of(path):
            return file_program(file, runpy.run_path(file, run_name=RUN_NAME))
    except InputError as e:
        raise placed_in(e, path) from None
    except KeyboardInterrupt:
        raise
    except SyntaxError as e:
        raise CallError(f"{e.filename or file}:{e.lineno or 1}:{e.offset or 1}: {e.msg}") from None
    except BaseException as e:  # of the user's code, a request to exit among them
        line = own_line(e, path)
        raise CallError(f"{file}:{line.lineno if line else 1}: {type(e).__name__}: {e}") from None


def own_line(e: BaseException, script: Path) -> traceback.FrameSummary | None:
    """The line of the script that an error came from; None if the script did not start."""
    frames = traceback.extract_tb(e.__traceback__)
    own = [f for f in frames if Path(f.filename).resolve() == script.resolve()]
    return own[-1] if own else None


def placed_in(e: InputError, script: Path) -> InputError:
    """The error; if it has no place, with the line of the script as its place."""
    line = own_line(e, script)
    if e.diagnostic.loc.line or line is None or line.lineno is None:
        return e
    return InputError(replace(e.diagnostic, loc=Loc(str(script), line.lineno, 1, line.lineno, 1)))
