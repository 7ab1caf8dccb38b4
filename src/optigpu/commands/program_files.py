"""Programs of files: annotated C is parsed; a Python file is run, since its programs are made by `@og.program`."""

from __future__ import annotations

import runpy
import sys
import traceback
from pathlib import Path

from optigpu.frontend import parse_file
from optigpu.frontend.python.python_program import file_program
from optigpu.runtime.call_error import CallError
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.program import Program


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
    path = Path(file)
    if not path.is_file():
        raise CallError(f"the file `{file}` does not exist")
    folder = str(path.resolve().parent)
    sys.path.append(folder)
    try:
        return file_program(file, runpy.run_path(file, run_name=path.stem))
    except (InputError, KeyboardInterrupt):
        raise
    except SyntaxError as e:
        raise CallError(f"{e.filename or file}:{e.lineno or 1}:{e.offset or 1}: {e.msg}") from None
    except BaseException as e:  # of the user's code, a request to exit among them
        own = [f for f in traceback.extract_tb(e.__traceback__) if Path(f.filename).resolve() == path.resolve()]
        line = own[-1].lineno if own else 1
        raise CallError(f"{file}:{line}: {type(e).__name__}: {e}") from None
    finally:
        sys.path.remove(folder)
