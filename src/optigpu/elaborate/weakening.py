"""Functions with floats left open: their names, and how their contracts are weakened. Trusted: a weaker contract proves less.

Where floats decide anything, the kernel has each function twice (see `open_floats.py`): `f` over the reals, and `f.open` with
comparisons and conversions of floats left open. Promises of `f` that hold over the reals alone are left out of `f.open`.
"""

from __future__ import annotations

import itertools
from typing import TypeAlias

from optigpu.kernel import instructions as kc
from optigpu.light_dataclass import replace
from optigpu.logic import terms as k
from optigpu.logic.cells import KNOWN, SOME

LeftOut: TypeAlias = frozenset[tuple[str, str, int]]  # (function, "post" or "ensures" or "assert", number)


def open_name(function: str) -> str:
    """The kernel's name of the function with floats left open."""
    return f"{function}.open"


def closed_name(function: str) -> str:
    """The source's name of a function, from either of the kernel's names."""
    return function.removesuffix(".open")


def weakened(f: kc.Procedure, left_out: LeftOut) -> kc.Procedure:
    """The function without some of its promises: facts and assertions are dropped, values of cells become unknown."""
    dropped = {(what, n) for name, what, n in left_out if name == f.name}
    c = f.contract
    some = (replace(p, contents=SOME, value=None) if p.contents == KNOWN else p for p in c.post)
    post = tuple(s if ("post", n) in dropped else p for n, (s, p) in enumerate(zip(some, c.post)))
    ensures = tuple(k.TRUE if ("ensures", n) in dropped else p for n, p in enumerate(c.ensures))
    numbers = itertools.count()

    def kept(i: kc.Instruction) -> kc.Instructions:
        return () if isinstance(i, kc.Assertion) and ("assert", next(numbers)) in dropped else (i,)

    return replace(f, contract=replace(c, post=post, ensures=ensures), body=kc.rewritten_code(f.body, kept))
