"""Proof annotations: `s.ghost` inserts ghost statements and changes loop contracts."""

from __future__ import annotations

from optigpu.light_dataclass import replace
from optigpu.script.session import Session
from optigpu.script.targets import TargetLike
from optigpu.script.transformation import transformation
from optigpu.syntax.program import Assert, For, Ghost, GhostEnd
from optigpu.transform.step_results import InsertedStatements, handles_from
from optigpu.transform.tools.c_text import clauses_from, statements_from
from optigpu.transform.tools.insertion_points import insertion_point
from optigpu.transform.tools.refusal import refuse


@transformation
def insert(
    session: Session, text: str, *, before: TargetLike | None = None, after: TargetLike | None = None
) -> InsertedStatements:
    """Insert ghost statements or assertions.

    Before:
        a[0] = 0.0f;
    Step: s.ghost.insert('__ASSERT("n == n");', before=Write("a"))
    After:
        __ASSERT("n == n");
        a[0] = 0.0f;

    Needs: only ghost statements and assertions. Fails: when what they claim does not hold.
    Returns: `statements`, all of them. As a target, the first one.
    """
    new = statements_from(text)
    if not new or not all(isinstance(s, Ghost | GhostEnd | Assert) for s in new):
        raise refuse("only ghosts and assertions can be inserted here", help="s.instr.insert", code="OG604")
    path = insertion_point(session, before, after)
    session.insert(path, *new)
    return InsertedStatements(session, session.at(path).id, handles_from(session, path, len(new)))


@transformation
def contract(session: Session, target: TargetLike, text: str = "") -> None:
    """Replace the contract of a loop; without text, the contract is inferred.

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

    Needs: clauses of a loop contract. Fails: when the body does not satisfy them.
    """
    path = session.find(target, "for")
    loop = session.at(path)
    if not isinstance(loop, For):
        raise refuse("this is not a loop", loop)
    session.annotation_changes.stated.add(loop.id)
    session.put(path, replace(loop, contract=clauses_from(text)))
