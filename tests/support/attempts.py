"""Wrong programs beside a right one, and what the checker must say of each."""

from __future__ import annotations

from dataclasses import dataclass

from optigpu.check.verify import Settings, Verifier
from optigpu.frontend import parse_text
from optigpu.syntax.diagnostic import InputError


@dataclass(frozen=True)
class Attempt:
    """A right program, and changes that make it wrong."""

    rule: str
    good: str
    wrong: tuple[tuple[str, str], ...]


def function(head: str, clauses: str, body: str) -> str:
    return f"{head} {{\n{clauses}\n{body}\n}}\n"


def kernel(body: str, result: str = "D(b, t)", *, before: str = "", requires: str = "G >= 0", shared: int = 256) -> str:
    """G blocks of 8 threads on a matrix d in global memory."""
    return f"""{before}void f(int G, float d[G][8]) {{
  __requires("D: int * int -> float, {requires}");
  __consumes("d ~> Matrix2Of(G, 8, GMem, D)");
  __produces("d ~> Matrix2Of(G, 8, GMem, fun b t -> {result})");
  kernel_launch(G, 8, {shared});
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {{
{body}
  }}
  kernel_teardown_begin();
  kernel_kill();
}}
"""


def put_to_the_checker(attempt: Attempt) -> None:
    unbounded = not verified(
        attempt.good, False
    )  # integers that overflow are another matter (test_machine_integers.py)
    assert verified(attempt.good, unbounded), "the right program is not verified"
    for old, new in attempt.wrong:
        assert attempt.good.count(old) == 1, (old, attempt.good.count(old))
        text = attempt.good.replace(old, new)
        try:
            assert not verified(text, unbounded), f"verified, with {new!r} for {old!r}"
        except InputError:
            continue  # not even a program


def verified(text: str, unbounded: bool = False) -> bool:
    return Verifier(Settings(unbounded=unbounded)).verify(parse_text(text, "review.c")).verified
