"""Loop nests that copy tiles, multiply them, or reduce the rows of fragments, as the calls that do that in kernels.

Each function returns the call, or why a nest is none. The call computes the same as the nest, which the checker shows.
"""

from __future__ import annotations

from optigpu.light_dataclass import dataclass
from optigpu.syntax.builtins import ROW_REDUCTIONS, TILE_COPY, TILE_PRODUCTS
from optigpu.syntax.exprs import Addr, Binary, Call, Cast, Expr, Index, Var
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.program import Body, CallStmt, For, If, Mode, Stmt, Store
from optigpu.syntax.tensor_nests import executed
from optigpu.transform.tools.counted_loops import counted, is_plain
from optigpu.transform.tools.simplified import collect_terms, lit, minus, value_of

MAXIMA = {"fmaxf": "max", "fmax": "max", "fminf": "min", "fmin": "min"}


@dataclass(frozen=True)
class PlainNest:
    """Loops inside each other that count from 0, with known numbers of iterations, and the body of the innermost."""

    loops: tuple[For, ...]
    body: Body

    @property
    def indices(self) -> list[str]:
        return [loop.index for loop in self.loops]

    def count(self, index: str) -> int:
        loop = next(loop for loop in self.loops if loop.index == index)
        return value_of(counted(loop).count) or 0


def plain_nest(s: Stmt) -> PlainNest | None:
    """The nest that begins with a loop; None if its loops do not count from 0 to numbers."""
    loops: list[For] = []
    body: Body = (s,)
    while len(body) == 1 and isinstance(loop := body[0], For):
        if loop.mode is not Mode.SEQUENTIAL or not is_plain(loop) or value_of(counted(loop).count) is None:
            return None
        loops.append(loop)
        body = executed(loop.body)
    return PlainNest(tuple(loops), body) if loops else None


def tile_copy(s: Stmt) -> CallStmt | str:
    """`for (i …) for (j …) if (…) t[i][j] = a[r + i][c + j]; else t[i][j] = 0;` as `tile_load(t, a, r, c)`."""
    nest = plain_nest(s)
    if nest is None or len(nest.loops) != 2:
        return "it is no nest of two loops that count from 0 to numbers"
    match nest.body:
        case (Store() as store,):
            pass
        case (If(_, then, other),) if len(then) == 1 and isinstance(then[0], Store) and _is_zero_store(then[0], other):
            store = then[0]
        case _:
            return "its body is not one copy of an element, with 0 in its place outside of the array"
    match store.target, _unconverted(store.value):
        case Index(Var() as tile, (row, col)), Index(Var() as source, (*lead, i, j)) if store.op is None:
            rows, cols = nest.indices
            own = {rows, cols}
            if {row, col} != {Var(rows), Var(cols)}:
                return f"`{tile.name}` is not filled by its own indices"
            start = [collect_terms(minus(i, row)), collect_terms(minus(j, col))]
            if any(own & free_vars(e) for e in (*lead, *start)):
                return f"adjacent elements of `{tile.name}` are not adjacent in `{source.name}`"
            return CallStmt(Call(TILE_COPY, (Var(tile.name), Var(source.name), *lead, *start)), id=s.id)
        case _:
            return "its body is not one copy of an element of another array"


def _is_zero_store(store: Store, other: Body) -> bool:
    match executed(other):
        case (Store(target, value, None),):
            return target == store.target and value_of_real(value) == 0
        case _:
            return False


def value_of_real(e: Expr) -> object:
    e = _unconverted(e)
    return getattr(e, "value", None)


def tile_product(s: Stmt) -> CallStmt | str:
    """`for (i …) for (j …) for (k …) c[…][i][j] += a[…] * b[…]` as `mma(c, a, b, depth)`, or one of its transposed forms."""
    nest = plain_nest(s)
    if nest is None or len(nest.loops) != 3:
        return "it is no nest of three loops that count from 0 to numbers"
    match nest.body:
        case (Store(Index(Var() as total, (*lead, Var(row), Var(col))), value, "+"),):
            product = _unconverted(value)
        case _:
            return "its body is not `c[i][j] += x * y`"
    rest = [i for i in nest.indices if i not in (row, col)]
    if len(rest) != 1 or not {row, col} < set(nest.indices) or not isinstance(product, Binary) or product.op != "*":
        return "its body is not `c[i][j] += x * y`"
    (depth,) = rest
    x, y = _unconverted(product.left), _unconverted(product.right)
    for a, b in ((x, y), (y, x)):
        left, right = _factor(a, row, depth), _factor(b, depth, col)
        if left is not None and right is not None and col not in free_vars(a) and row not in free_vars(b):
            (left_view, left_across), (right_view, right_across) = left, right
            name = next(n for n, flags in TILE_PRODUCTS.items() if flags == (left_across, right_across))
            whole: Expr = Addr(Index(total, (*lead, lit(0), lit(0)))) if lead else total
            return CallStmt(Call(name, (whole, left_view, right_view, lit(nest.count(depth)))), id=s.id)
    return "its factors are not elements of two tiles, in a row and a column of the product"


def _factor(e: Expr, first: str, second: str) -> tuple[Expr, bool] | None:
    """The tile of which an expression is the element (first, second), and whether it is stored as (second, first)."""
    if not isinstance(e, Index) or not isinstance(e.base, Var) or len(e.indices) < 2:
        return None
    *lead, row, col = e.indices
    for across, (i, j) in enumerate(((first, second), (second, first))):
        start = [collect_terms(minus(row, Var(i))), collect_terms(minus(col, Var(j)))]
        if not any({first, second} & free_vars(x) for x in (*lead, *start)):
            at_start = all(value_of(x) == 0 for x in start)
            return (e.base if at_start and not lead else Addr(Index(e.base, (*lead, *start)))), bool(across)
    return None


def row_reduction(s: Stmt) -> CallStmt | None:
    """`for (i …) for (j …) v[…][i] += c[…][i][j]` (or a maximum or minimum) as `frag_row_sum(v, c)`; None for other nests."""
    nest = plain_nest(s)
    if nest is None or len(nest.loops) != 2:
        return None
    row, col = nest.indices
    match nest.body:
        case (Store(Index(Var() as vector, (*lead, Var(i))) as target, value, op),) if i == row:
            combined = _combined_with(target, _unconverted(value), op)
        case _:
            return None
    match combined:
        case (operator, Index(Var() as fragment, (*outer, Var(r), Var(c)))) if (r, c) == (row, col):
            v: Expr = Addr(Index(vector, (*lead, lit(0)))) if lead else vector
            f: Expr = Addr(Index(fragment, (*outer, lit(0), lit(0)))) if outer else fragment
            name = next(n for n, o in ROW_REDUCTIONS.items() if o == operator)
            return CallStmt(Call(name, (v, f)), id=s.id)
        case _:
            return None


def _combined_with(target: Expr, value: Expr, op: str | None) -> tuple[str, Expr] | None:
    """The operator and the other operand of `v += x`, `v = v + x` or `v = fmaxf(v, x)`."""
    match value:
        case _ if op == "+":
            return "sum", value
        case Binary("+", a, b) if op is None and target in (a, b):
            return "sum", _unconverted(b if a == target else a)
        case Call(name, (a, b)) if op is None and name in MAXIMA and target in (a, b):
            return MAXIMA[name], _unconverted(b if a == target else a)
        case _:
            return None


def _unconverted(e: Expr) -> Expr:
    return _unconverted(e.arg) if isinstance(e, Cast) else e
