"""The names that `gpu.launch` is given: loops of the nest, and arrays that a kernel can put into shared memory or registers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from optigpu.script.editing import StatementPath
from optigpu.script.session import Session
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.exprs import Alloc, Array
from optigpu.syntax.program import Body, Decl, For, Stmt
from optigpu.syntax.types import Space
from optigpu.syntax.walk import inner_bodies, statements
from optigpu.transform.tools.declared_types import declared, visible_names
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.unknown_names import no_such_name

SPACES = {
    "shared": Space.SMEM,
    "registers": Space.TREG,
    "fragments": Space.FRAG,
}  # that the options of a launch ask for


def reject_unknown_loops(
    session: Session, path: StatementPath, grid: Sequence[str], block: Sequence[str], at_end: Sequence[str]
) -> None:
    """Refuse names in `grid=`, `block=` and `barrier_at_end=` that are no loops of the nest, and a loop that is in both."""
    nest = session.at(path)
    loops = list(dict.fromkeys(s.index for s in statements((nest,)) if isinstance(s, For)))
    around = [s.index for p in path.ancestors() if isinstance(s := session.at(p), For)]
    for name in (*grid, *block):
        if name not in loops and name in around:
            message = f"the loop over `{name}` is around the first loop of the grid, `{loops[0]}`"
            raise refuse(message, nest, f'loops of the grid are outside: grid=["{name}", …]', code="OG604")
        if name not in loops:
            raise no_such_name(f"there is no loop over `{name}` in this nest", name, loops, nest)
    for name in at_end:
        if name not in loops:
            raise no_such_name(f"barrier_at_end=: there is no loop over `{name}` in this nest", name, loops, nest)
    for option, names in (("grid", grid), ("block", block)):
        if repeated := [name for k, name in enumerate(names) if name in names[:k]]:
            raise refuse(f"the loop over `{repeated[0]}` is twice in {option}=", nest, code="OG604")
    for name in grid:
        if name in block:
            raise refuse(f"the loop over `{name}` is in grid= and in block=", nest, code="OG604")


def reject_scattered_grid(nest: For, grid: Sequence[str]) -> None:
    """Refuse grid loops that are not directly inside each other: only such loops become blocks."""
    loop: For | None = nest
    chain: list[For] = []
    while loop is not None:
        chain.append(loop)
        inner = [s for s in loop.body if isinstance(s, For) and s.index in grid]
        if len(inner) > 1:
            message = f"there are {len(inner)} loops of the grid side by side in the loop over `{loop.index}`"
            raise refuse(message, inner[1], f"s.loop.fission gives each its own loop over `{loop.index}`, and kernel")
        loop = inner[0] if inner else None
    for s in statements((nest,)):
        if isinstance(s, For) and s.index in grid and not any(s is x for x in chain):
            message = (
                f"the loop over `{s.index}` is in grid=, but not directly inside the loop over `{chain[-1].index}`"
            )
            names = ", ".join(f'"{name}"' for name in grid)
            raise refuse(message, s, f"s.loop.reorder({names}, …) brings the loops of the grid together")


def reject_misplaced_arrays(
    session: Session, path: StatementPath, block: Sequence[str], placed: Mapping[str, Sequence[str]]
) -> None:
    """Refuse names in `shared=` and the like that are not declared at block level: inside the grid loops, and outside the block
    loops. `placed`: the names of each option."""
    nest = session.at(path)
    in_nest = {s.name: s for s in statements((nest,)) if isinstance(s, Decl)}
    at_block_level = _declared_outside((nest,), block)
    for option, names in placed.items():
        for name in names:
            if name in in_nest and name not in at_block_level:
                message = f"{option}=: `{name}` is declared inside a block loop, where it belongs to one thread"
                help = f's.loop.hoist("{name}") moves it out of the block loop; or leave it out of {option}='
                raise refuse(message, in_nest[name], help)
            if name not in in_nest and declared(session, path, name) is not None:
                raise _outside(session, path, name, option)
            if name not in in_nest:
                message = f"{option}=: no variable `{name}` is declared in this nest"
                raise no_such_name(message, name, sorted(at_block_level), nest)
    for one, other in combinations(placed, 2):
        if both := sorted(set(placed[one]) & set(placed[other])):
            raise refuse(f"`{both[0]}` is in {one}= and in {other}=", in_nest[both[0]], code="OG604")


def reject_unplaced_arrays(nest: Stmt, asked: Mapping[str, Sequence[str]], at: Stmt) -> None:
    """Refuse a kernel in which an array is not in the memory that the user asked for. `asked`: the names of each option."""
    for option, names in asked.items():
        found = {s.name for s in statements((nest,)) if isinstance(s, Decl) and _space(s) is SPACES[option]}
        for name in names:
            if name not in found:
                raise refuse(f"`{name}` cannot be put where {option}= asks for", at)


def reject_unknown_host_arrays(session: Session, path: StatementPath, host_copies: Sequence[str]) -> None:
    for name in host_copies:
        if not isinstance(declared(session, path, name), Array):
            arrays = visible_names(session, path, lambda t: isinstance(t, Array))
            raise no_such_name(f"host_copies=: there is no array `{name}` here", name, arrays, session.at(path))


def _space(decl: Decl) -> Space | None:
    if isinstance(decl.init, Alloc):
        return decl.init.space
    return decl.type.space if isinstance(decl.type, Array) else None


def _declared_outside(body: Body, block: Sequence[str]) -> set[str]:
    """The names that statements declare outside of block loops."""
    names: set[str] = set()
    for s in body:
        if isinstance(s, Decl):
            names.add(s.name)
        if not (isinstance(s, For) and s.index in block):
            names = names.union(*(_declared_outside(b, block) for b in inner_bodies(s)))
    return names


def _outside(session: Session, path: StatementPath, name: str, option: str) -> InputError:
    """The error for an array that is declared outside the grid loops, at its declaration if it has one."""
    decls = [s for s in statements(session.function_of(path).body) if isinstance(s, Decl) and s.name == name]
    message = f"`{name}` is declared outside the grid loops: a block has no copy of its own to put into {option}="
    if option == "shared":
        help = (
            "declare it in the innermost grid loop; or s.gpu.create_kernel_launch, and in its setup "
            f's.gpu.convert_to_shared_mem("{name}", chop_dims=…)'
        )
    else:
        help = "declare it in the innermost grid loop, with leading dimensions that number the threads"
    return refuse(message, decls[0] if decls else session.at(path), help)
