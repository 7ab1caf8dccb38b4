"""Every public rule of the kernel beside the finite model of permissions (tests/support/model.py), on random programs.

Sizes are symbolic for the kernel and small numbers for the model: negative, 0, 1 and more. Cells have strides, are reversed,
overlap, or are grouped in two ways; threads are grouped in different ways, too. What the kernel accepts must be true in the model
for all numbers. A rejection proves nothing, so MODELS states how often each rule must be accepted. A rule without a model
fails `test_rule`.
"""

from __future__ import annotations

import pytest

from tests.support.rule_models import MODELS, MORE, accepted, public_rules

pytestmark = pytest.mark.hypothesis


@pytest.mark.parametrize("rule", public_rules())
def test_rule(rule: str) -> None:
    model, least = MODELS[rule]
    assert accepted(model)[rule] >= least
    if rule in MORE:
        assert accepted(MORE[rule])[rule] >= least
