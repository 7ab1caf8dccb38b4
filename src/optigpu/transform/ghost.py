"""Editing proofs: ghost statements and loop contracts."""

from __future__ import annotations

from dataclasses import replace

from optigpu.script.targets import TargetLike
from optigpu.script.transformation import TransformGroup, transformation
from optigpu.syntax.program import Assert, For, Ghost, GhostEnd
from optigpu.transform.loop_nests import refuse
from optigpu.transform.simplified import clauses_from, statements_from


class GhostTransforms(TransformGroup):
    name = "ghost"

    @transformation
    def insert(self, text: str, *, before: TargetLike | None = None, after: TargetLike | None = None) -> None:
        """Insert ghost statements or assertions.

        Before:
            a[0] = 0.0f;
        Step: s.ghost.insert('__ASSERT("n == n");', before=Write("a"))
        After:
            __ASSERT("n == n");
            a[0] = 0.0f;

        Needs: ghost statements alone. Fails: when what they claim does not hold.
        """
        new = statements_from(text)
        if not new or not all(isinstance(s, Ghost | GhostEnd | Assert) for s in new):
            raise refuse("only ghosts and assertions can be inserted here", help="s.instr.insert", code="OG604")
        if (before is None) == (after is None):
            raise refuse("say where: before=… or after=…", code="OG604")
        place = self.session.find(before) if before is not None else self.session.find(after).sibling(1)  # type: ignore[arg-type]
        self.session.insert(place, *new)

    @transformation
    def contract(self, target: TargetLike, text: str = "") -> None:
        """Give a loop a contract; without text, leave it to inference.

        Before:
            for (int i = 0; i < n; i++) {
              a[i] = 0.0f;
            }
        Step: s.ghost.contract("i", '__xpreserves("&a[i] ~> Cell");')
        After:
            for (int i = 0; i < n; i++) {
              __xpreserves("&a[i] ~> Cell");
              a[i] = 0.0f;
            }

        Needs: loop clauses. Fails: when the body does not keep them.
        """
        place = self.session.find(target, "for")
        loop = self.session.at(place)
        if not isinstance(loop, For):
            raise refuse("this is not a loop", loop)
        self.session.put(place, replace(loop, contract=clauses_from(text)))
