"""Mutants of the kernel: remove one side condition, and look for a test that fails.

`python -m tests.evidence.kernel_mutants --jobs 16` removes every side condition (side_conditions.py), one at a time, each in a
process of its own, and runs the tests of the kernel's rules that call the function it is in, and the wrong twins of all tables,
until one fails: a test that expected a refusal, or a wrong program that is VERIFIED. What nobody notices is a survivor, which wants
a test or an explanation (survivors.py).
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.evidence import side_conditions, work
from tests.evidence.side_conditions import Site
from tests.evidence.survivors import explained

TESTS = ["tests/logic", "tests/kernel", "tests/test_cases.py"]
SELECTED = "kernel or logic or test_answer[rules/"  # of the cases, only those that were written for a rule
BASELINE = work.RESULTS / "baseline.jsonl"
LIMIT = 900
CPU = 90  # seconds: without some conditions nothing ends
SLOWEST = 5.0  # seconds: wrong programs that take longer are left out
QUICK = 3.0  # seconds: tests that take longer are asked after the wrong programs


def wrong_programs() -> Iterator[tuple[str, str]]:
    """Every mutant of tests/cases that is a program and wrong, with its name."""
    from tests.support.cases import read_cases

    for v in read_cases():
        if v.expected.verdict not in ("VERIFIED", "REJECTED") and not v.slow:
            yield v.name, v.text


# What refuses which wrong program, by the kernel as it is --------------------------------------------------------------------


def refused(task: work.Task) -> dict[str, Any]:
    """For a wrong program, the functions of the kernel in which it was refused at last, and at all."""
    from optigpu.check.verify import Verifier
    from optigpu.frontend import parse_text
    from optigpu.kernel import Rejected
    from optigpu.syntax.diagnostic import InputError

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


@dataclass(frozen=True)
class Test:
    number: int  # in the list of all
    name: str
    seconds: float
    reaches: frozenset[str]  # functions of the kernel


def passes(item: Any) -> bool:
    from _pytest.runner import runtestprotocol

    return all(report.passed or report.skipped for report in runtestprotocol(item, log=False, nextitem=None))


def control(items: list[Any]) -> dict[str, Any]:
    """The kernel as it is passes the tests; if not, nothing they say of mutants counts. What they reach is found out on the way."""
    side_conditions.note_calls()
    tests = []
    for n, item in enumerate(items):
        side_conditions.REACHED.clear()
        start = time.process_time()
        if not passes(item):
            return {"failed": item.nodeid}
        seconds = time.process_time() - start
        tests.append(Test(n, item.nodeid, seconds, frozenset(side_conditions.REACHED)))
    return {"tests": tests}


def killed_by_tests(tests: Iterable[Test], items: list[Any], first: set[str]) -> str:
    """The first that fails: those that noticed something in this rule before, then quick ones."""
    ordered = sorted(tests, key=lambda t: (t.name not in first, t.seconds))
    return next((t.name for t in ordered if not passes(items[t.number])), "")


def killed_by_programs(site: Site, known: dict[str, Any]) -> str:
    """The name of a wrong program that is verified now."""
    from optigpu.check.verify import Verifier
    from optigpu.frontend import parse_text

    for name, text in likely_first(site, known):
        try:
            if Verifier().verify(parse_text(text, "wrong.c")).verified:
                return name
        except Exception:  # without its conditions the kernel may stumble: that proves nothing
            continue
    return ""


def concerns(test: Test, site: Site) -> bool:
    """The seal is made when it is imported: no test calls what makes it."""
    return site.module in ("sealed", "records") and "test_sealed" in test.name


@dataclass
class Killers:
    """Who may notice that a condition is missing. Without known wrong programs, only short tests."""

    tests: list[Test]
    items: list[Any]
    known: dict[str, Any] | None
    before: dict[str, set[str]] = field(default_factory=dict)  # rule -> who noticed something there

    def killer(self, site: Site) -> str:
        side_conditions.install(site)
        mine = [t for t in self.tests if f"{site.module}.{site.rule}" in t.reaches or concerns(t, site)]
        first = self.before.get(site.rule, set())
        by = killed_by_tests((t for t in mine if t.seconds < QUICK), self.items, first)
        if by or self.known is None:
            return by
        slow = (t for t in mine if t.seconds >= QUICK)
        return killed_by_programs(site, self.known) or killed_by_tests(slow, self.items, first)

    def attempt(self, task: work.Task) -> dict[str, Any]:
        name, site = task
        resource.setrlimit(resource.RLIMIT_CPU, (CPU, CPU))
        start = time.process_time()
        by = self.killer(site)
        about = {"module": site.module, "rule": site.rule, "kind": site.kind, "text": site.text}
        return {"task": name, **about, "killed": by, "seconds": round(time.process_time() - start, 1)}


class Loop:
    """A plugin for pytest: instead of running the tests once, each mutant runs those that concern it, in a process of its own."""

    def __init__(self, sites: list[Site], args: argparse.Namespace) -> None:
        self.sites, self.args = sites, args

    def pytest_runtestloop(self, session: Any) -> bool:
        items = list(session.items)
        session.config._tmp_path_factory.getbasetemp()  # one for all processes
        (untouched,) = work.in_processes([("the kernel as it is", None)], lambda _: control(items), 1, LIMIT)
        if "tests" not in untouched:
            raise RuntimeError(f"the kernel as it is fails: {untouched}")
        killers = Killers(untouched["tests"], items, None if self.args.quick else baseline(self.args.jobs))
        print(f"{len(items)} tests, {len(killers.known or ())} wrong programs", flush=True)
        survivors = 0
        for r in work.run([(s.name, s) for s in self.sites], killers.attempt, self.args, LIMIT):
            by = r.get("killed", r.get("lost"))
            survivors += not by
            killers.before.setdefault(r.get("rule", ""), set()).add(by)
            print(f"{by or 'SURVIVED':<70} {r.get('seconds', '')!s:>6} s  {r['task']}", flush=True)
        print(f"{len(self.sites)} conditions, {survivors} survivors")
        return True


def main() -> int:
    parser = work.arguments("kernel_mutants", __doc__)
    parser.add_argument("--only", help="conditions whose name contains this")
    parser.add_argument("--quick", action="store_true", help="no random tests, no wrong programs")
    parser.add_argument("--tests", nargs="+", default=TESTS, metavar="FILE", help="only these tests")
    parser.add_argument("--list", action="store_true", help="only list the conditions")
    args = parser.parse_args()
    sites = [s for s in side_conditions.all_sites() if args.only is None or args.only in s.name]
    sites.sort(key=lambda s: (s.module in side_conditions.LAWS, bool(explained(s.name)), s.module == "judge"))
    if args.list:
        print("\n".join(s.name for s in sites))
        return 0
    import pytest

    which = "not slow and not hypothesis" if args.quick else "not slow"
    options = [
        "-o",
        "addopts=",
        "-s",
        "-m",
        which,
        "-k",
        SELECTED,
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "-p",
        "no:terminal",
        *args.tests,
    ]
    return int(pytest.main(options, plugins=[Loop(sites, args)]))


if __name__ == "__main__":
    sys.exit(main())
