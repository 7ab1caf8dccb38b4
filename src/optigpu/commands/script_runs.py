"""Runs a script from the command line. Its errors are reported at its own lines, without our stack frames."""

from __future__ import annotations

import os
import runpy
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

from optigpu.api import Script, observe
from optigpu.commands.local_imports import imports_of
from optigpu.commands.program_files import own_line, placed_in
from optigpu.report.diagnostics import Style
from optigpu.report.scripts import render_step_error
from optigpu.runtime.call_error import BAD_INPUT, FINE, WRONG, BuildError, CallError
from optigpu.script.step import Step
from optigpu.script.step_errors import StepError
from optigpu.syntax.diagnostic import InputError


def run_script(path: str, progress: Callable[[Script, Step], None], style: Style) -> tuple[int, list[Script]]:
    """Run a script; returns the exit code and the sessions that it made. Errors are printed with the line of the script."""
    scripts: dict[int, Script] = {}

    def observer(script: Script, step: Step) -> None:
        scripts[id(script)] = script
        progress(script, step)

    file = Path(path)
    if not file.is_file():
        raise CallError(f"the script `{path}` does not exist")
    before, sys.argv = sys.argv, [path]
    try:
        with observe(observer), imports_of(file):
            runpy.run_path(path, run_name="__main__")
    except StepError as e:
        print(render_step_error(e, style), file=sys.stderr)
        return WRONG, list(scripts.values())
    except InputError as e:
        raise placed_in(e, file) from None
    except KeyboardInterrupt:
        raise
    except SystemExit as e:
        if e.code and not isinstance(e.code, int):
            print(e.code, file=sys.stderr)
        return (e.code if isinstance(e.code, int) else BAD_INPUT if e.code else FINE), list(scripts.values())
    except SyntaxError as e:
        if e.lineno is None:  # a file with null bytes, for which other versions of Python raise a ValueError
            print(_unreadable(e, path), file=sys.stderr)
            return BAD_INPUT, []
        print(f"{e.filename or path}:{e.lineno or 1}:{e.offset or 1}: error: {e.msg}", file=sys.stderr)
        return BAD_INPUT, []
    except BaseException as e:
        if os.environ.get("OPTIGPU_TRACEBACK"):
            raise
        print(_fault(e, path), file=sys.stderr)
        return BAD_INPUT, list(scripts.values())
    finally:
        sys.argv = before
    return FINE, list(scripts.values())


def _unreadable(e: BaseException, path: str) -> str:
    return f"{path}:1:1: error: the script cannot be read: {(e.msg if isinstance(e, SyntaxError) else str(e)) or type(e).__name__}"


def _fault(e: BaseException, path: str) -> str:
    """The message for an error of the script. An error of our own code, or a request to exit, is raised again."""
    line = own_line(e, Path(path))
    if line is None:
        return _unreadable(e, path)
    last = traceback.extract_tb(e.__traceback__)[-1]
    if not isinstance(e, Exception) and last != line:
        raise e  # a request to exit, such as an interrupt
    ours = last.filename.startswith(str(Path(__file__).parent.parent))
    expected = isinstance(e, BuildError | CallError | OSError)
    if ours and not expected and not isinstance(e, TypeError | AttributeError):
        raise e
    what = str(e) if expected else f"{type(e).__name__}: {e}"
    return f"{path}:{line.lineno}: error: {what}\n  {line.lineno} | {(line.line or '').strip()}"
