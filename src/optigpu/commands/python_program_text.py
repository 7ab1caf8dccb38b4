"""The program of a Python file as text, made in a process of its own: the file's code cannot change the process that judges it."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from optigpu.commands.program_files import is_python, program_of_file
from optigpu.frontend import parse_text
from optigpu.runtime.call_error import CallError
from optigpu.syntax.diagnostic import InputError, Label, input_error
from optigpu.syntax.printer import print_program
from optigpu.syntax.program import Program
from optigpu.syntax.source import Loc


def separate_program_of_file(file: str) -> Program:
    """The program of a file. Of a Python file only the text comes here, of a program as C; places are those of that text."""
    if not is_python(file):
        return program_of_file(file)
    return parse_text(_text_from_child(file), f"{file} (as C)")


def _text_from_child(file: str) -> str:
    sys.stdout.flush()
    sys.stderr.flush()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _tell(file, writing)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8", errors="replace") as pipe:
        told = pipe.read()
    _, status = os.waitpid(child, 0)
    answer = _answer_in(told) if status == 0 else None
    match answer:
        case {"text": str(text)}:
            return text
        case {"call": str(message)}:
            raise CallError(message)
        case InputError():
            raise answer
        case _:
            raise CallError(f"{file} gave no program: the process that ran it ended")


def _answer_in(told: str) -> object:
    """What the child says: the text of a program, or an error; None if it is neither."""
    try:
        answer = json.loads(told)
        return _input_error(answer) if "place" in answer else answer
    except (ValueError, TypeError, KeyError, IndexError):
        return None


def _tell(file: str, pipe: int) -> None:
    """In the child: send the text of the program or the error. What the file prints goes to standard error."""
    code = 1
    try:
        os.dup2(2, 1)
        sys.stdout = sys.stderr
        sent = memoryview(json.dumps(_answer(file)).encode())
        while sent:
            sent = sent[os.write(pipe, sent) :]
        sys.stderr.flush()
        code = 0
    finally:
        os._exit(code)


def _answer(file: str) -> dict[str, object]:
    try:
        return {"text": print_program(program_of_file(file))}
    except CallError as e:
        return {"call": str(e)}
    except InputError as e:
        d = e.diagnostic
        labels = [(_place(x.loc), x.text) for x in d.labels]
        return {"code": d.code, "message": d.message, "place": _place(d.loc), "labels": labels, "help": d.help}


def _place(loc: Loc) -> tuple[object, ...]:
    return loc.file, loc.line, loc.column, loc.end_line, loc.end_column


def _input_error(answer: dict[str, Any]) -> InputError:
    labels = tuple(Label(_loc(place), str(text)) for place, text in answer["labels"])
    help_ = None if answer["help"] is None else str(answer["help"])
    return input_error(str(answer["code"]), str(answer["message"]), _loc(answer["place"]), labels=labels, help=help_)


def _loc(place: list[Any]) -> Loc:
    return Loc(str(place[0]), *(int(x) for x in place[1:]))
