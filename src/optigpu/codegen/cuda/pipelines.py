"""Pipelined loops in CUDA: `#pragma pipeline 4` before a loop whose body declares tiles, copies them, waits and uses them.

In the program the iterations run one after the other. The checker has shown (docs/logic.md, "Pipelined loops") that the part before
`pipeline_wait()` reads only what the loop does not change, and writes only the shared arrays that it declares, which the rest only
reads. So with as many copies of these arrays as there are stages, it may run ahead. There are two forms:

- *in turns* (`in_turns`): all threads of a block copy the tiles of iteration k + stages - 1 by asynchronous copies, then use those
  of iteration k. A barrier before that orders the uses of a copy of the arrays before it is filled again, and the end of the
  copies, for which each thread waits, before their use.
- *by a producer* (`producers.py`): one more thread of the block starts bulk copies by the tensor memory accelerator.
"""

from __future__ import annotations

from optigpu.codegen.cuda.sections import PROOF_ONLY
from optigpu.codegen.integer_polynomials import binary, number, poly
from optigpu.light_dataclass import dataclass, replace
from optigpu.syntax.builtins import TILE_COPY
from optigpu.syntax.diagnostic import InputError, input_error
from optigpu.syntax.exprs import Array, Binary, Call, Expr, Index, Var
from optigpu.syntax.free_names import fresh_name
from optigpu.syntax.polynomials import constant_polynomial
from optigpu.syntax.program import PIPELINE_HINT, Block, Body, CallStmt, Decl, For, If, Mode, Stmt, is_call
from optigpu.syntax.source import Loc
from optigpu.syntax.substitution import substitute_body
from optigpu.syntax.types import BOOL, INT, VOID, Scalar, Space
from optigpu.syntax.walk import inner_bodies, map_bodies, map_children, map_stmt_exprs, statements

ZERO, ONE = constant_polynomial(0), constant_polynomial(1)


@dataclass(frozen=True)
class PipelinedLoop:
    """The parts of a pipelined loop: shared arrays, the statements that may run ahead, the rest."""

    loop: For
    arrays: tuple[Decl, ...]
    ahead: Body
    rest: Body

    @property
    def stages(self) -> int:
        return self.loop.stages

    @property
    def names(self) -> list[str]:
        return [d.name for d in self.arrays]


def is_pipelined(s: Stmt) -> bool:
    return isinstance(s, For) and s.meaning is Mode.PIPELINED


def has_pipeline(body: Body) -> bool:
    return any(is_pipelined(s) for s in statements(body))


def parts_of(loop: For) -> PipelinedLoop:
    """What stands before and after the wait. Constants that the first part declares are declared in both."""
    body = tuple(s for s in loop.body if not isinstance(s, PROOF_ONLY))
    waits = [i for i, s in enumerate(body) if is_call(s, "pipeline_wait")]
    if len(waits) != 1:
        raise unfit("the body of a pipelined loop waits once", loop.loc, "pipeline_wait();")
    r = loop.range
    if (r.relation, r.op) != ("<", "+") or (poly(r.start), poly(r.amount)) != (ZERO, ONE):
        raise unfit("a pipelined loop counts up from 0 by one", loop.loc, "s.loop.shift_range")
    before, rest = body[: waits[0]], body[waits[0] + 1 :]
    arrays = tuple(
        s for s in before if isinstance(s, Decl) and isinstance(s.type, Array) and s.type.space is Space.SMEM
    )
    ahead = tuple(s for s in before if s not in arrays)
    constants = tuple(s for s in ahead if isinstance(s, Decl) and isinstance(s.type, Scalar) and s.init is not None)
    for s in statements(ahead):
        if isinstance(s, CallStmt) and s.call.func in ("blocksync", "warpsync"):
            raise unfit("a barrier stands in the part of a pipelined loop that runs ahead", s.loc)
    return PipelinedLoop(loop, arrays, ahead, (*constants, *rest))


def staged(decl: Decl, stages: int) -> Decl:
    """A shared array with a copy for each stage."""
    assert isinstance(decl.type, Array)
    return replace(decl, type=replace(decl.type, dims=(number(stages), *decl.type.dims)))


def at_stage(body: Body, arrays: tuple[Decl, ...], stages: int, stage: Expr) -> Body:
    """The body with the copies of the arrays that belong to a stage."""
    types = {d.name: replace(d.type, dims=(number(stages), *d.type.dims)) for d in arrays if isinstance(d.type, Array)}

    def staged_in(x: Expr) -> Expr:
        match x:
            case Index(Var(name) as base, indices) if name in types:
                own = tuple(map(staged_in, indices))
                return replace(x, base=replace(base, type=types[name]), indices=(stage, *own))
            case Var(name) if name in types:  # a whole tile
                return Index(replace(x, type=types[name]), (stage,), type=x.type, loc=x.loc)
            case _:
                return map_children(x, staged_in)

    def changed(s: Stmt) -> Stmt:
        return map_bodies(map_stmt_exprs(s, staged_in), lambda b: tuple(map(changed, b)))

    return tuple(map(changed, body))


def call(name: str, *args: Expr) -> CallStmt:
    return CallStmt(Call(name, args, type=VOID))


def with_copies_ended(device: Body) -> Body:
    """Device code whose barriers wait for the copies of tiles that are no part of a pipelined loop."""

    def is_outside(body: Body) -> bool:
        return any(
            is_call(s, TILE_COPY) or (not is_pipelined(s) and any(map(is_outside, inner_bodies(s)))) for s in body
        ) or any(is_pipelined(s) and is_outside(parts_of(s).rest) for s in body if isinstance(s, For))

    def ended(body: Body) -> Body:
        out: list[Stmt] = []
        for s in body:
            if is_call(s, "blocksync"):
                out += [call("copies_commit"), call("copies_wait", number(0))]
            out.append(map_bodies(s, ended))
        return tuple(out)

    return ended(device) if is_outside(device) else device


# In turns


def in_turns(body: Body, taken: set[str], inside: bool = False) -> Body:
    """The body with its pipelined loops in turns. `inside`: of a loop of the block, which executes them again."""
    return tuple(_turns_of(s, taken, inside) for s in body)


def _turns_of(s: Stmt, taken: set[str], inside: bool) -> Stmt:
    if not isinstance(s, For) or s.meaning is not Mode.PIPELINED:
        around = inside or (isinstance(s, For) and s.mode is Mode.SEQUENTIAL)
        return map_bodies(s, lambda b: in_turns(b, taken, around))
    p = parts_of(s)
    k, ahead = Var(s.index, type=s.index_type), p.stages - 1
    stage = Var(new_name(f"{s.index}_stage", taken), type=INT)
    use = at_stage(in_turns(p.rest, taken, True), p.arrays, p.stages, stage)
    stage_now = Decl(stage.name, INT, binary("%", k, number(p.stages)), True)

    def copied(at: Expr) -> Body:
        """Start the copies of an iteration, if there is one, and close their batch."""
        body = substitute_body(p.ahead, {s.index: at})
        body = at_stage(body, p.arrays, p.stages, binary("%", at, number(p.stages)))
        return (If(Binary("<", at, s.range.bound, type=BOOL), body), call("copies_commit"))

    wait = (call("copies_wait", number(max(ahead - 1, 0))), call("stage_sync"))
    if ahead:
        following = Var(new_name(f"{s.index}_next", taken), type=s.index_type)
        next_one = Decl(following.name, s.index_type, binary("+", k, number(ahead)), True)
        loop = (*wait, Block((next_one, *copied(following))), stage_now, *use)
    else:
        loop = (call("stage_sync"), *copied(k), *wait, stage_now, *use)
    first = tuple(x for n in range(ahead) for x in copied(number(n)))
    plain = plain_loop(s, loop)
    end = (call("stage_sync"),) if inside else ()
    return Block((*(staged(d, p.stages) for d in p.arrays), *first, plain, *end))


def plain_loop(s: For, body: Body) -> For:
    """The loop with another body, and no pipeline."""
    return replace(s, body=body, hints=tuple(h for h in s.hints if not h.startswith(PIPELINE_HINT)), contract=())


def new_name(name: str, taken: set[str]) -> str:
    new = fresh_name(name, taken)
    taken.add(new)
    return new


def unfit(why: str, loc: Loc, help: str | None = None) -> InputError:
    return input_error("OG409", why, loc, help=help)
