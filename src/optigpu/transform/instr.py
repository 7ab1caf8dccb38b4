"""Transformations of single statements."""

from __future__ import annotations

from optigpu.script.editing import StatementPath, edit_body, insert_at
from optigpu.script.handles import Handle, find_statement
from optigpu.script.targets import TargetLike
from optigpu.script.transformation import TransformGroup, transformation
from optigpu.syntax.program import Stmt
from optigpu.transform.loop_nests import refuse
from optigpu.transform.simplified import statements_from, without_ids


class StatementTransforms(TransformGroup):
    name = "instr"

    def _point(self, before: TargetLike | None, after: TargetLike | None) -> StatementPath:
        if (before is None) == (after is None):
            raise refuse("say where: before=… or after=…", code="OG604")
        return self.session.find(before) if before is not None else self.session.find(after).sibling(1)  # type: ignore[arg-type]

    @transformation
    def insert(self, text: str, *, before: TargetLike | None = None, after: TargetLike | None = None) -> Handle:
        """Insert statements, written as C.

        Before:
            a[0] = 0.0f;
        Step: s.instr.insert("b[0] = 1.0f;", after=Write("a"))
        After:
            a[0] = 0.0f;
            b[0] = 1.0f;

        Needs: text that is C where it is put. Fails: when the program no longer keeps its contract.
        """
        place = self._point(before, after)
        new = statements_from(text)
        self.session.insert(place, *new)
        return self.session.handle(place)

    @transformation
    def delete(self, target: TargetLike) -> None:
        """Delete a statement.

        Before:
            a[0] = 1.0f;
            a[0] = 0.0f;
        Step: s.instr.delete(Write("a").first)
        After:
            a[0] = 0.0f;

        Needs: a target. Fails: when the statement was needed.
        """
        self.session.put(self.session.find(target, "write"))

    @transformation
    def move(self, target: TargetLike, *, before: TargetLike | None = None, after: TargetLike | None = None) -> Handle:
        """Move a statement.

        Before:
            a[0] = 0.0f;
            b[0] = 1.0f;
        Step: s.instr.move(Write("b"), before=Write("a"))
        After:
            b[0] = 1.0f;
            a[0] = 0.0f;

        Needs: a target and a point that is not inside it. Fails: when the order matters.
        """
        source = self.session.find(target, "any")
        point = self._point(before, after)
        if point.inside(source) or point == source:
            raise refuse("a statement cannot be moved into itself", self.session.at(source))
        s = self.session.at(source)
        i = source.index
        from optigpu.syntax.program import Block

        hole: Stmt = Block(())
        program = edit_body(self.session.program, source, lambda b: (*b[:i], hole, *b[i + 1 :]))
        program = insert_at(program, point, s)
        for f in program.functions():
            from optigpu.script.editing import statements_of

            gone = [p for p, x in statements_of(f) if x is hole]
            if gone:
                k = gone[0].index
                program = edit_body(program, gone[0], lambda b, k=k: (*b[:k], *b[k + 1 :]))  # type: ignore[misc]
        self.session.update(program)
        return self.session.handle(find_statement(self.session.program, s.id))

    @transformation
    def copy(self, target: TargetLike, *, before: TargetLike | None = None, after: TargetLike | None = None) -> Handle:
        """Copy a statement to another point.

        Before:
            a[0] = 0.0f;
            b[0] = 1.0f;
        Step: s.instr.copy(Write("a"), after=Write("b"))
        After:
            a[0] = 0.0f;
            b[0] = 1.0f;
            a[0] = 0.0f;

        Needs: a target. Fails: when doing it twice is not the same.
        """
        s = self.session.at(self.session.find(target, "any"))
        point = self._point(before, after)
        self.session.insert(point, without_ids(s))
        return self.session.handle(point)

    @transformation
    def replace(self, target: TargetLike, text: str) -> Handle:
        """Put other statements, written as C, in the place of one.

        Before:
            a[0] = b[0] + b[0];
        Step: s.instr.replace(Write("a"), "a[0] = 2.0f * b[0];")
        After:
            a[0] = 2.0f * b[0];

        Needs: text that is C there. Fails: when it does something else.
        """
        place = self.session.find(target, "write")
        self.session.put(place, *statements_from(text))
        return self.session.handle(place)
