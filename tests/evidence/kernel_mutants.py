"""The kernel without one side condition: which test notices?

`python -m tests.evidence.kernel_mutants --jobs 16` removes every side condition (side_conditions.py), one at a time, each in a
process of its own, and runs the tests of the kernel's rules and the wrong twins of all tables until one fails: a test that expected
a refusal, or a wrong program that is VERIFIED. What nobody notices is a survivor, which wants a test or an explanation (SURVIVORS).
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.evidence import side_conditions, work
from tests.evidence.side_conditions import Site

ROOT = Path(__file__).parents[2]
QUICK, SLOW = "not hypothesis", "hypothesis"
TESTS = ["tests/kernel", "tests/test_review.py"]
BASELINE = work.RESULTS / "baseline.jsonl"
LIMIT = 900
SLOWEST = 5.0  # seconds: wrong programs that take longer are left out


def wrong_programs() -> Iterator[tuple[str, str]]:
    """Every wrong program of the tables, with its name."""
    from tests.conftest import ROOT as root
    from tests.support.gpu_pairs import GPU_PAIRS
    from tests.support.pairs import PAIRS
    from tests.support.twins import TWINS

    for pair in PAIRS:
        for n, wrong in enumerate(pair.wrong):
            yield f"pairs: {pair.name} {n}", pair.good.replace(wrong.old, wrong.new)
    for twin in TWINS:
        yield f"twins: {twin.name}", twin.text(root / "examples")
    for gpu in GPU_PAIRS:
        for n, other in enumerate(gpu.wrong):
            yield f"GPU pairs: {gpu.name} {n}", gpu.twin(other)


# What refuses which wrong program, by the kernel as it is --------------------------------------------------------------------


def refused(task: work.Task) -> dict[str, Any]:
    """For a wrong program, the functions of the kernel in which it was refused at last, and at all."""
    from optigpu.checker.verify import Verifier
    from optigpu.frontend import parse_text
    from optigpu.kernel.state import Rejected
    from optigpu.syntax.errors import InputError

    name, text = task
    refusals: list[list[str]] = []
    original = Rejected.__init__

    def noted(self: Rejected, *args: Any, **kwargs: Any) -> None:
        frame, names = sys._getframe(1), []
        while frame is not None and len(names) < 12:
            if "/kernel/" in frame.f_code.co_filename:
                names.append(frame.f_code.co_name)
            frame = frame.f_back  # type: ignore[assignment]
        refusals.append(names)
        original(self, *args, **kwargs)

    Rejected.__init__ = noted  # type: ignore[method-assign]
    start = time.process_time()
    try:
        verified = Verifier().verify(parse_text(text, "wrong.c")).verified
    except InputError:
        verified = True  # no program: of no use here
    last = refusals[-1] if refusals else []
    return {
        "task": name,
        "useful": not verified,  # a twin may be right after all: the tables say so
        "last": last,
        "all": sorted({f for r in refusals for f in r}),
        "seconds": round(time.process_time() - start, 2),
    }


def baseline(jobs: int) -> dict[str, Any]:
    """What refuses which wrong program, found out once."""
    args = argparse.Namespace(out=BASELINE, fresh=False, shard="1/1", jobs=jobs)
    return {r["task"]: r for r in work.run(list(wrong_programs()), refused, args, LIMIT) if r.get("useful")}


def likely_first(site: Site, known: dict[str, Any]) -> list[tuple[str, str]]:
    """The wrong programs, those refused by the rule first, quick ones before slow ones."""
    rule = site.rule.rpartition(".")[2]

    def rank(item: tuple[str, str]) -> tuple[int, float]:
        about = known[item[0]]
        return (0 if rule in about["last"] else 1 if rule in about["all"] else 2), about["seconds"]

    quick = (item for item in wrong_programs() if item[0] in known and known[item[0]]["seconds"] < SLOWEST)
    return sorted(quick, key=rank)


# One mutant --------------------------------------------------------------------------------------------------------------


class FirstFailure:
    """A plugin for pytest: the first test that fails."""

    def __init__(self) -> None:
        self.name = ""

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed and not self.name:
            self.name = report.nodeid


def killed_by_tests(which: str) -> str:
    import pytest

    plugin = FirstFailure()
    paths = [t for t in TESTS if (ROOT / t).exists()]
    options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", which, *paths]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        code = pytest.main(options, plugins=[plugin])
    return plugin.name or ("" if code == pytest.ExitCode.OK else f"the tests cannot be run ({code})")


def killed_by_programs(site: Site, known: dict[str, Any]) -> str:
    """The name of a wrong program that is verified now."""
    from optigpu.checker.verify import Verifier
    from optigpu.frontend import parse_text

    for name, text in likely_first(site, known):
        try:
            if Verifier().verify(parse_text(text, "wrong.c")).verified:
                return name
        except Exception:  # without its conditions the kernel may stumble: that proves nothing
            continue
    return ""


def control(task: work.Task) -> dict[str, Any]:
    """The kernel as it is passes the tests; if not, nothing they say of mutants counts."""
    return {"task": task[0], "killed": killed_by_tests(QUICK)}


def killer(site: Site, known: dict[str, Any] | None) -> str:
    """Who notices that the condition is missing. Without known wrong programs, only short tests are asked."""
    side_conditions.install(site)
    by = killed_by_tests(QUICK)
    if by or known is None:
        return by
    return killed_by_programs(site, known) or killed_by_tests(SLOW)


def attempt(task: work.Task) -> dict[str, Any]:
    name, (site, known) = task
    start = time.monotonic()
    by = killer(site, known)
    about = {"module": site.module, "rule": site.rule, "kind": site.kind, "text": site.text}
    return {"task": name, **about, "killed": by, "seconds": round(time.monotonic() - start, 1)}


def preload() -> None:
    """What every child needs, loaded once; nothing of ours."""
    import greenlet  # noqa: F401
    import hypothesis  # noqa: F401
    import lark  # noqa: F401
    import numpy  # noqa: F401
    import pytest  # noqa: F401
    import z3  # noqa: F401


def main() -> int:
    parser = work.arguments("kernel_mutants", __doc__)
    parser.add_argument("--only", help="conditions whose name contains this")
    parser.add_argument("--quick", action="store_true", help="only the short tests: no wrong programs, no hypothesis")
    parser.add_argument("--list", action="store_true", help="only list the conditions")
    args = parser.parse_args()
    sites = [s for s in side_conditions.all_sites() if args.only is None or args.only in s.name]
    if args.list:
        print("\n".join(s.name for s in sites))
        return 0
    preload()
    (untouched,) = work.in_processes([("the kernel as it is", None)], control, 1, LIMIT)
    if untouched.get("killed", "lost"):
        print(f"the kernel as it is fails: {untouched}", file=sys.stderr)
        return 2
    known, survivors = None if args.quick else baseline(args.jobs), 0
    print(f"{len(known or ())} wrong programs", flush=True)
    for r in work.run([(s.name, (s, known)) for s in sites], attempt, args, LIMIT):
        by = r.get("killed", r.get("lost"))
        survivors += not by
        print(f"{by or 'SURVIVED':<70} {r.get('seconds', '')!s:>6} s  {r['task']}", flush=True)
    print(f"{len(sites)} conditions, {survivors} survivors")
    return 0


if __name__ == "__main__":
    sys.exit(main())
