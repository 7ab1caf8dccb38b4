"""Random scripts: whatever is asked of the transformations, no step crashes and none changes what a program computes."""

from __future__ import annotations

import random
from itertools import islice

import pytest

from optigpu.check.verify import Settings, Verifier
from optigpu.frontend import parse_text
from tests.support.random_arguments import Draw, arguments_for
from tests.support.random_scripts import SOURCES, Quick, Tally, malformed, run_sequence, sequences, transformations
from tests.support.same_behaviour import Behaviour

PROGRAM = """#include <optigpu.h>
void f(int n, float a[n], float b[n]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __writes("b ~> Matrix1(n, fun i -> 2 * A(i))");
  for (int i = 0; i < n; i++) {
    b[i] = 2.0f * a[i];
  }
}
"""


def test_random_scripts_keep_what_is_computed() -> None:
    tally, verifier = Tally(), Verifier(Settings())
    for number, path in islice(sequences(12, SOURCES), len(SOURCES)):
        run_sequence(12, number, path, verifier, tally, length=10, compiled=0.02)
    assert not tally.bugs, tally.bugs[0]
    assert tally.outcomes["accepted"] > 50 and tally.outcomes["rejected"] > 20 and tally.runs > 500


def test_there_are_arguments_for_every_transformation() -> None:
    script = Quick(parse_text(PROGRAM))
    for family, name, f in transformations():
        try:
            arguments_for(Draw(random.Random(1), script), f"{family.name}.{name}", f)
        except LookupError as e:
            assert not isinstance(e, KeyError), f"{family.name}.{name} has a parameter {e} that nothing is drawn for"


@pytest.mark.parametrize("wrong", ["2.0f * a[0]", "a[i]", "2.0f * a[i] + 1.0f"])
def test_a_program_that_computes_something_else_is_noticed(wrong: str) -> None:
    behaviour = Behaviour(parse_text(PROGRAM), 0)
    rng = random.Random(0)
    assert behaviour.difference(parse_text(PROGRAM), rng, compiled=True) is None
    assert behaviour.difference(parse_text(PROGRAM.replace("2.0f * a[i]", wrong)), rng, compiled=False) is not None
    assert malformed(parse_text(PROGRAM)) is None
