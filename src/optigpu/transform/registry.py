"""The registry of transformation groups: what `s.loop`, `s.gpu`, … of a script are."""

from __future__ import annotations

from typing import Generic, TypeVar

from optigpu.script.session import Session
from optigpu.script.transformation import TransformGroup
from optigpu.transform.accesses import AccessTransforms
from optigpu.transform.arith import ArithmeticTransforms
from optigpu.transform.function import FunctionTransforms
from optigpu.transform.ghost import GhostTransforms
from optigpu.transform.gpu import GpuTransforms
from optigpu.transform.instr import StatementTransforms
from optigpu.transform.loop import LoopTransforms
from optigpu.transform.matrix import MatrixTransforms
from optigpu.transform.omp import OpenMPTransforms
from optigpu.transform.reduce import ReductionTransforms
from optigpu.transform.variable import VariableTransforms

G = TypeVar("G", bound=TransformGroup)


class GroupAttribute(Generic[G]):
    """The attribute of a session that gives a group of transformations of that session."""

    def __init__(self, group: type[G]) -> None:
        self.group = group

    def __get__(self, session: Session, owner: type[Session]) -> G:
        return self.group(session)


class TransformSession(Session):
    """A session with all transformations: `s.loop.tile(…)`. A new group is one line here."""

    loop = GroupAttribute(LoopTransforms)
    variable = GroupAttribute(VariableTransforms)
    accesses = GroupAttribute(AccessTransforms)
    matrix = GroupAttribute(MatrixTransforms)
    instr = GroupAttribute(StatementTransforms)
    function = GroupAttribute(FunctionTransforms)
    arith = GroupAttribute(ArithmeticTransforms)
    omp = GroupAttribute(OpenMPTransforms)
    reduce = GroupAttribute(ReductionTransforms)
    gpu = GroupAttribute(GpuTransforms)
    ghost = GroupAttribute(GhostTransforms)


GROUPS: tuple[type[TransformGroup], ...] = tuple(
    attribute.group for attribute in vars(TransformSession).values() if isinstance(attribute, GroupAttribute)
)
