"""The bar of a tuning: rewritten on a terminal, lines elsewhere, nothing where nobody asked."""

from __future__ import annotations

import io

from optigpu.report.progress_bar import ERASED, ProgressBar, bar_text, progress_bar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_bar_shows_how_many_are_done() -> None:
    assert bar_text("verify", 1, 4, "x") == "verify  [######------------------] 1/4  x"
    assert bar_text("verify", 0, 0, "") == "verify  [------------------------] 0/0  "


def test_a_terminal_gets_one_line_that_is_removed() -> None:
    out = Terminal()
    bar = progress_bar(out, "measure")
    bar(1, 2, "a")
    bar(2, 2, "b")
    bar.close()
    assert out.getvalue().count(ERASED) == 3 and "\n" not in out.getvalue() and out.getvalue().endswith(ERASED)


def test_elsewhere_it_is_asked_for() -> None:
    out = io.StringIO()
    for bar in (progress_bar(out, "measure"),):
        bar(1, 1, "a")
        bar.close()
    assert out.getvalue() == ""
    bar = progress_bar(out, "measure", wanted=True)
    for done in range(1, 101):
        bar(done, 100, "a")
    bar.close()
    lines = out.getvalue().splitlines()
    assert (
        isinstance(bar, ProgressBar) and lines[-1].startswith("measure") and "100/100" in lines[-1] and len(lines) < 100
    )
