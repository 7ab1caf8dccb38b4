"""What memory-bound schedules propose for a program: arguments that fit it, or why they do not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from optigpu.schedules.column_norm import column_norm
from optigpu.schedules.columns import columns
from optigpu.schedules.elements import elements
from optigpu.schedules.elementwise import elementwise
from optigpu.schedules.nest_reading import body_of, one_nest
from optigpu.schedules.norm import norm
from optigpu.schedules.proposals import Proposal, Proposer, Unfit
from optigpu.schedules.reading import Element, IndependentNest, Reduction, code, elements_in, loop_nest
from optigpu.schedules.row_norm import row_norm
from optigpu.schedules.row_scan import row_scan
from optigpu.schedules.row_total import row_total
from optigpu.schedules.rows import rows
from optigpu.schedules.scan import scan
from optigpu.schedules.total import total
from optigpu.schedules.transpose import transpose
from optigpu.schedules.windows import line_windows, windows
from optigpu.syntax.exprs import Call, Expr, Var
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.program import Body, Decl, For, If, Return, Store
from optigpu.syntax.walk import root_name, statements, stmt_exprs, subexpressions
from optigpu.transform.reduce.reductions import is_reduction
from optigpu.transform.registry import TransformSession

VECTOR = 4


def propose_elementwise(s: TransformSession) -> Proposal | Unfit:
    nest = one_nest(s)
    if isinstance(nest, str):
        return Unfit("elementwise", nest)
    if nest.inner_loops:
        return Unfit("elementwise", f"there is a loop over `{nest.inner_loops[0].index}` inside")
    last = nest.indices[-1]
    for e in (*nest.read, *(e for e, _ in nest.written)):
        if e.depends_on(last) and not _is_along(e, last):
            return Unfit("elementwise", f"adjacent iterations over `{last}` are not adjacent elements of `{e.array}`")
    return Proposal(elementwise, nest.indices, {})


def propose_transpose(s: TransformSession) -> Proposal | Unfit:
    nest = one_nest(s)
    if isinstance(nest, str):
        return Unfit("transpose", nest)
    if nest.inner_loops or len(nest.written) != 1 or len(nest.grid) < 2:
        return Unfit("transpose", "it is not one assignment in a nest of at least two loops")
    output = nest.written[0][0]
    if not _are_loops(output, nest):
        return Unfit("transpose", f"the indices of `{output.array}` are not those of the loops")
    write_along = next(x for x in nest.indices if Var(x) == output.indices[-1])
    for e in nest.read:
        last = e.indices[-1] if _are_loops(e, nest) else None
        if isinstance(last, Var) and last.name != write_along and Var(write_along) in e.indices:
            grid = tuple(x for x in nest.indices if x not in (last.name, write_along))
            options = {"read_along": last.name, "write_along": write_along, "input": e.array, "output": output.array}
            return Proposal(transpose, grid, options)
    return Unfit("transpose", f"no array is read across the loop over `{write_along}`, which writes `{output.array}`")


def propose_scan(s: TransformSession) -> Proposal | Unfit:
    found = _dependent_loop(s)
    if isinstance(found, str):
        return Unfit("scan", found)
    loop, _ = found
    parts = _scanned(loop)
    if isinstance(parts, str):
        return Unfit("scan", parts)
    var, output, inputs = parts
    if len(inputs) != 1:
        return Unfit("scan", f"{len(inputs)} arrays are read, and it stages one")
    return Proposal(scan, (loop.index,), {"var": var, "input": inputs[0], "output": output})


def propose_row_scan(s: TransformSession) -> Proposal | Unfit:
    nest = one_nest(s)
    if isinstance(nest, str):
        return Unfit("row_scan", nest)
    if len(nest.inner_loops) != 1:
        return Unfit("row_scan", "there is not exactly one loop over each row")
    (loop,) = nest.inner_loops
    parts = _scanned(loop)
    if isinstance(parts, str):
        return Unfit("row_scan", parts)
    return Proposal(row_scan, nest.indices, {"loop": loop.index, "out": parts[1], "var": parts[0]})


def propose_total(s: TransformSession) -> Proposal | Unfit:
    found = _dependent_loop(s)
    if isinstance(found, str):
        return Unfit("total", found)
    loop, after = found
    updates = [x for x in code(loop.body) if isinstance(x, Store) and isinstance(x.target, Var) and is_reduction(x)]
    if len(updates) != 1 or any(isinstance(x, For) for x in statements(loop.body)):
        return Unfit("total", f"the loop over `{loop.index}` does not add elements to one variable")
    if updates[0].op == "*":
        return Unfit("total", "it is a product, for which the search for a proof takes minutes")
    result = _result(after)
    is_returned = bool(after) and isinstance(after[0], Return) and after[0].value is not None
    if result is None and not is_returned:
        return Unfit("total", "the sum is not returned, nor written to an array or a variable after the loop")
    options = {"var": root_name(updates[0].target)}
    return Proposal(total, (loop.index,), options if result is None else options | {"result": result})


def propose_row_total(s: TransformSession) -> Proposal | Unfit:
    found = _dependent_loop(s)
    if isinstance(found, str):
        return Unfit("row_total", found)
    loop, result = found[0], _result(found[1])
    inner = [x for x in statements(loop.body) if isinstance(x, For)]
    names = {x.index for x in inner}
    own = {x.name for x in statements(loop.body) if isinstance(x, Decl)}
    updates = [x for x in statements(loop.body) if isinstance(x, Store) and isinstance(x.target, Var)]
    added = list(dict.fromkeys(root_name(x.target) for x in updates if root_name(x.target) not in own))
    if len(names) != 1 or len(added) != 1 or result is None:
        return Unfit("row_total", "it is not one sum over rows, of sums over the elements of each row")
    width = inner[0].range.bound
    if not isinstance(width, Var):
        return Unfit("row_total", "the length of a row is not a variable")
    reduced = list(
        dict.fromkeys(root_name(x.target) for x in updates if root_name(x.target) in own and is_reduction(x))
    )
    options: dict[str, object] = {"loop": names.pop(), "width": width.name, "var": added[0], "result": result}
    return Proposal(row_total, (loop.index,), options | ({"reductions": reduced} if reduced else {}))


def propose_norm(s: TransformSession) -> Proposal | Unfit:
    """Rows of several loops, as those of a batch norm: the deviations of a second sum are from the mean, the first one."""
    nest = one_nest(s)
    if isinstance(nest, str):
        return Unfit("norm", nest)
    if len(nest.reductions) != 2 or not all(r.is_sum for r in nest.reductions):
        return Unfit("norm", "it is not two sums, of elements and of squared deviations")
    first, second = nest.reductions
    if len(first.loops) != 2 or [x.index for x in first.loops] != [x.index for x in second.loops]:
        return Unfit("norm", "the sums do not run over the same two loops")
    part, loop = (x.index for x in first.loops)
    inputs, outputs = _arrays(first.elements), _outputs(nest)
    if len(inputs) != 1 or len(outputs) != 1:
        return Unfit("norm", "it is not one array that is read and one that is written")
    options = {"part": part, "loop": loop, "sum": first.var, "squares": second.var}
    return Proposal(norm, nest.indices, {**options, "input": inputs[0], "output": outputs[0]})


def propose_row_norm(s: TransformSession) -> Proposal | Unfit:
    found = _normalised(s, "row_norm")
    if isinstance(found, Unfit):
        return found
    nest, loop, shared = found
    inputs = _arrays(e for e in shared if _is_along(e, loop))
    if not inputs:
        return Unfit("row_norm", f"adjacent iterations over `{loop}` are not adjacent elements")
    options = {"loop": loop, "reductions": _vars(nest), "outputs": _outputs(nest), "inputs": inputs}
    return Proposal(row_norm, nest.indices, options | ({"online": True} if _is_softmax(nest.reductions) else {}))


def propose_column_norm(s: TransformSession) -> Proposal | Unfit:
    found = _normalised(s, "column_norm")
    if isinstance(found, Unfit):
        return found
    nest, loop, shared = found
    last = nest.indices[-1]
    inputs = _arrays(e for e in shared if _is_along(e, last))
    if not inputs:
        return Unfit("column_norm", f"adjacent iterations over `{last}` are not adjacent elements")
    options = {"loop": loop, "reductions": _vars(nest), "outputs": _outputs(nest), "inputs": inputs}
    return Proposal(column_norm, nest.indices, options)


def propose_rows(s: TransformSession) -> Proposal | Unfit:
    found = _reduced(s, "rows")
    if isinstance(found, Unfit):
        return found
    nest, loop = found
    inputs = _arrays(e for r in nest.reductions for e in r.elements if _is_along(e, loop))
    moving = [e for r in nest.reductions for e in r.elements if e.depends_on(loop)]
    if not inputs or not all(_is_along(e, loop) for e in moving):
        return Unfit("rows", f"adjacent iterations over `{loop}` are not adjacent elements")
    if not any(all(e.depends_on(x) for x in nest.indices) for e in moving):
        return Unfit("rows", "each row is part of several results, as in a product of matrices")
    options = {"loop": loop, "reductions": _vars(nest), "inputs": inputs, "vector": VECTOR}
    return Proposal(rows, nest.indices, options | ({"online": True} if _is_softmax(nest.reductions) else {}))


def propose_columns(s: TransformSession) -> Proposal | Unfit:
    found = _reduced(s, "columns")
    if isinstance(found, Unfit):
        return found
    nest, loop = found
    last = nest.indices[-1]
    if len(nest.reductions) != 1 or not all(_is_along(e, last) for e in nest.reductions[0].elements):
        return Unfit("columns", f"it is not one sum of elements that are adjacent along the loop over `{last}`")
    if not nest.reductions[0].is_sum:  # the start of a maximum is read by every group of threads
        return Proposal(elements, nest.indices, {"unroll": loop})
    options = {"loop": loop, "var": nest.reductions[0].var, "out": nest.written[0][0].array}
    return Proposal(columns, nest.indices, options)


def propose_line_windows(s: TransformSession) -> Proposal | Unfit:
    nest = one_nest(s)
    if isinstance(nest, str):
        return Unfit("line_windows", nest)
    if len(nest.reductions) != 1 or len(nest.inner_loops) != 1 or len(nest.written) != 1:
        return Unfit("line_windows", "a result is not one sum or maximum over one loop")
    (reduction,), (loop,), col = nest.reductions, nest.inner_loops, nest.indices[-1]
    moving = [e for e in reduction.elements if {col, loop.index} <= free_vars(e.indices[-1])]
    if len(_arrays(moving)) != 1:
        return Unfit("line_windows", f"no window moves along rows with `{col}`")
    if any(e.depends_on(col) for e in reduction.elements if e not in moving):
        return Unfit("line_windows", "several arrays move with the window")
    outside: object = None
    if any(isinstance(x, If) for x in statements(nest.body)):
        outside = 0 if reduction.is_sum else "-INFINITY" if _calls(reduction.update.value, "max") else "INFINITY"
    options = {"col": col, "input": moving[0].array, "output": nest.written[0][0].array, "outside": outside}
    return Proposal(line_windows, nest.indices[:-1], options)


def propose_windows(s: TransformSession) -> Proposal | Unfit:
    nest = one_nest(s)
    if isinstance(nest, str):
        return Unfit("windows", nest)
    if len(nest.grid) < 2:
        return Unfit("windows", "there are no two loops over the rows and columns of an image")
    row, col = nest.indices[-2:]
    inside = {x.index for x in nest.inner_loops}
    moving = {e for e in nest.read if len(e.indices) > 1 and e.depends_on(row) and col in free_vars(e.indices[-1])}
    summed = {x for e in moving for i in e.indices for x in free_vars(i) if {*nest.indices} & free_vars(i)} & inside
    if summed != inside:
        return Unfit("windows", f"the loop over `{min(inside - summed)}` is not over the elements of a window")
    if not inside and len(moving) <= len({e.array for e in moving}):
        return Unfit("windows", "no array is read at several places around a result")
    return Proposal(windows, nest.indices[:-2], {"row": row, "col": col})


# In this order: a schedule for fewer programs comes before one for more.
MEMORY_BOUND: tuple[Proposer, ...] = (
    propose_transpose,
    propose_scan,
    propose_row_scan,
    propose_total,
    propose_row_total,
    propose_norm,
    propose_row_norm,
    propose_column_norm,
    propose_line_windows,
    propose_windows,
    propose_rows,
    propose_columns,
    propose_elementwise,
)


def _dependent_loop(s: TransformSession) -> tuple[For, Body] | str:
    """The one loop of a function whose iterations depend on each other, and what is executed after it."""
    body = body_of(s)
    loops = [x for x in body if isinstance(x, For)]
    if len(loops) != 1:
        return f"the function has {len(loops)} loops that are in no other one"
    if loop_nest(loops[0]).grid:
        return f"the iterations of the loop over `{loops[0].index}` do not depend on each other"
    return loops[0], body[body.index(loops[0]) + 1 :]


def _result(after: Body) -> str | None:
    """What the first statement after a loop writes, if nothing but numbers is computed there."""
    for x in after:
        match x:
            case Store(target):
                return root_name(target)
            case Decl(name, _, init) if init is not None:
                return name
            case _:
                return None
    return None


def _scanned(loop: For) -> tuple[str, str, list[str]] | str:
    """The variable that a loop adds to, the array that it stores the variable in, and the arrays that it reads."""
    body = [x for x in code(loop.body) if not isinstance(x, Decl)]
    updates = [x for x in body if isinstance(x, Store) and isinstance(x.target, Var) and is_reduction(x)]
    stores = [x for x in body if isinstance(x, Store) and not isinstance(x.target, Var)]
    if len(updates) != 1 or len(stores) != 1 or len(body) != 2:
        return f"the loop over `{loop.index}` does not add to a variable and store it"
    var = root_name(updates[0].target)
    if var not in free_vars(stores[0].value):
        return f"what is stored does not depend on `{var}`"
    read = [e for x in loop.body for y in stmt_exprs(x) for e in elements_in(y)]
    output = root_name(stores[0].target)
    return var, output, [x for x in _arrays(read) if x != output]


def _normalised(s: TransformSession, schedule: str) -> tuple[IndependentNest, str, list[Element]] | Unfit:
    """A nest whose loops reduce and write rows, the index of these loops, and the elements that several of them read."""
    nest = one_nest(s)
    if isinstance(nest, str):
        return Unfit(schedule, nest)
    loop = _one_index(nest)
    if loop is None:
        return Unfit(schedule, "rows are not reduced by loops over one index")
    depths = {len(loops) for _, loops in nest.written}
    if 1 not in depths or depths > {0, 1}:
        return Unfit(schedule, "a loop over each row does not write it")
    reads = [
        dict.fromkeys(e for x in statements(y.body) for v in stmt_exprs(x) for e in elements_in(v))
        for y in nest.inner_loops
    ]
    shared = [e for e in dict.fromkeys(e for x in reads for e in x) if sum(e in x for x in reads) > 1]
    return nest, loop, [e for e in shared if e.depends_on(loop) and e.array not in nest.outputs]


def _reduced(s: TransformSession, schedule: str) -> tuple[IndependentNest, str] | Unfit:
    """A nest whose loops reduce rows, the results of which are written after them, and the index of these loops."""
    nest = one_nest(s)
    if isinstance(nest, str):
        return Unfit(schedule, nest)
    loop = _one_index(nest)
    if loop is None:
        return Unfit(schedule, "results are not reduced by loops over one index")
    if any(loops for _, loops in nest.written) or not nest.written:
        return Unfit(schedule, "results are not written after the loops that reduce them")
    return nest, loop


def _one_index(nest: IndependentNest) -> str | None:
    """The index of the loops of a nest that reduce: each alone in the body, all over the same iterations, all that they assign are
    reductions and results."""
    inner = nest.inner_loops
    names, ends = {x.index for x in inner}, {x.range.bound for x in inner}
    if (
        not nest.reductions
        or len(names) != 1
        or len(ends) != 1
        or len([x for x in nest.body if x in inner]) != len(inner)
    ):
        return None
    updates = {id(r.update) for r in nest.reductions}
    stores = (x for y in inner for x in statements(y.body) if isinstance(x, Store))
    if any(isinstance(x.target, Var) and id(x) not in updates for x in stores):
        return None
    return names.pop()


def _is_softmax(reductions: Sequence[Reduction]) -> bool:
    """A maximum, and a sum of exponentials relative to it?"""
    if len(reductions) != 2 or not reductions[1].is_sum or not _calls(reductions[0].update.value, "max"):
        return False
    return _calls(reductions[1].value, "exp") and reductions[0].var in free_vars(reductions[1].value)


def _calls(e: Expr, name: str) -> bool:
    return any(isinstance(x, Call) and name in x.func for x in subexpressions(e))


def _is_along(e: Element, index: str) -> bool:
    """Are adjacent iterations of a loop adjacent elements, in rows that do not depend on it?"""
    return e.indices[-1] == Var(index) and not any(index in free_vars(x) for x in e.indices[:-1])


def _are_loops(e: Element, nest: IndependentNest) -> bool:
    """Are the indices of an element different loops of a nest?"""
    return all(isinstance(x, Var) and x.name in nest.indices for x in e.indices) and len(set(e.indices)) == len(
        e.indices
    )


def _arrays(found: Iterator[Element] | Sequence[Element]) -> list[str]:
    return list(dict.fromkeys(e.array for e in found))


def _vars(nest: IndependentNest) -> list[str]:
    return list(dict.fromkeys(r.var for r in nest.reductions))


def _outputs(nest: IndependentNest) -> list[str]:
    """The arrays that loops of the body write."""
    return list(dict.fromkeys(e.array for e, loops in nest.written if loops))
