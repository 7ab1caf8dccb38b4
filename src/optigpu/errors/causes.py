"""The causes that the catalogue tells apart: the rejected rule with its reason, or a kind of data race."""

from __future__ import annotations

from enum import Enum

from optigpu.kernel import Rejected
from optigpu.kernel.context import HOST, THREADS

UNORDERED = ("owner", "read", "race")  # reasons of a rule that two accesses of one cell are not ordered


class Race(Enum):
    """How far apart the two threads of a data race are, and what they do."""

    PRIVATE_MEMORY = "registers of another thread, or shared memory of another block"
    ONE_LOOP = "two iterations of one thread loop"
    BLOCKS = "two blocks of one kernel"
    WRITE_AFTER_READ = "a write, with no barrier after another thread's read"
    ACCESS_AFTER_WRITE = "an access, with no barrier after another thread's write"


class Misplaced(Enum):
    """What stands in a phase of a kernel launch where it cannot stand."""

    CALL = "a call in the setup or teardown of a kernel"


CauseKey = tuple[str, str] | Race | Misplaced


def cause_of(r: Rejected) -> CauseKey:
    if r.why in UNORDERED and "scope" in r.data:
        return _race_of(r)
    if (r.rule, r.why) == ("call", "context") and r.data["context"].kind not in (HOST, THREADS):
        return Misplaced.CALL
    return r.rule, r.why


def _race_of(r: Rejected) -> Race:
    space, scope = r.data.get("space"), r.data["scope"]
    if space == "TReg" or (space == "SMem" and scope == "grid"):
        return Race.PRIVATE_MEMORY
    if r.why == "race":
        return Race.ONE_LOOP
    if scope == "grid":
        return Race.BLOCKS
    return Race.WRITE_AFTER_READ if r.why == "read" else Race.ACCESS_AFTER_WRITE
