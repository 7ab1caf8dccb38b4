"""Attention in one kernel: scores, their softmax, and the weighted sums of values, by tiles of rows and keys."""

from __future__ import annotations

from textwrap import indent

from optigpu.light_dataclass import dataclass
from optigpu.schedules.attention_reading import AttentionReading, only_attention
from optigpu.schedules.new_names import NewNames
from optigpu.schedules.proposals import Proposal, Unfit
from optigpu.schedules.reading import Element
from optigpu.schedules.required_names import require_positive
from optigpu.script.targets import For, Write
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import Expr
from optigpu.syntax.printer import print_expr
from optigpu.syntax.substitution import substitute
from optigpu.syntax.types import FLOAT
from optigpu.transform.registry import TransformSession
from optigpu.transform.tools.c_text import as_expression
from optigpu.transform.tools.counted_loops import counted
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import collect_terms, lit, polynomial, value_of

GROUPS = {False: (128, 64), True: (32, 16)}  # threads and rows of a group: of 16 bits (for tensor cores), and of floats
WARP = 32
LEAST = "-3.0e38f"  # below all scores: a difference of two infinities would be NaN


@transformation
def attention(
    s: TransformSession,
    *,
    rows: int | None = None,
    keys: int | None = None,
    stages: int = 2,
    exponential: str | None = None,
) -> None:
    """One kernel of attention, `out = softmax(f(queries * keys)) * values` for each row, with any number of rows and keys.

    A block has a tile of `rows` queries (128 of 16 bits, 64 floats) and goes through the keys and values in tiles of `keys`,
    which are copied while it computes with those before (`stages` of them). The scores of a tile stay in registers. The maximum
    and the sum of a row, and its sums of values, are relative to the greatest score so far, and are scaled when it grows. Numbers
    of 16 bits are multiplied by tensor cores, floats by the cores of floats. `exponential`: the function for exponentials,
    `__expf` by default for 16 bits, whose errors are far below those of the numbers themselves, and `expf` for floats.

    Before:
        for (int i = 0; i < n; i++) {
          float* const s = MALLOC1(float, n);
          for (int j = 0; j < n; j++) {
            float dot = 0.0f;
            for (int e = 0; e < 64; e++) {
              dot += q[i][e] * k[j][e];
            }
            s[j] = scale * dot;
          }
          float best = s[0];
          for (int j = 1; j < n; j++) {
            best = fmaxf(best, s[j]);
          }
          float total = 0.0f;
          for (int j = 0; j < n; j++) {
            total += expf(s[j] - best);
          }
          for (int c = 0; c < 64; c++) {
            float sum = 0.0f;
            for (int j = 0; j < n; j++) {
              sum += expf(s[j] - best) * v[j][c];
            }
            o[i][c] = sum / total;
          }
          free(s);
        }
    Step: schedules.attention(s)
    After: one kernel, whose blocks have 128 rows; the scores are never in memory.

    Needs: independent rows, each with an array of scores that are functions of products of the row's query and the keys; softmax;
    sums of values. Keys may depend on the row, as in `j <= i`. The widths of queries and values are numbers, multiples of 16.
    Fails: OG603 when the program is not of this form.
    """
    found = only_attention(s)
    if isinstance(found, str):
        raise refuse(f"attention does not fit: {found}")
    floats = found.elem == FLOAT
    usual = 64 if floats else 128
    tile = (usual if rows is None else rows, usual if keys is None else keys)
    require_positive(tile=tile, stages=(stages,))
    group, group_rows = GROUPS[floats]
    if tile[0] // group_rows * group <= WARP:
        raise refuse(f"a tile of {tile[0]} rows is that of one warp, and several copy tiles", code="OG604")
    if tile[0] % group_rows or tile[1] % 16:
        message = f"a tile of {tile[0]} rows and {tile[1]} keys does not consist of fragments of {group_rows} x 16"
        raise refuse(message, code="OG604")
    chosen = exponential or ("expf" if floats else "__expf")
    t = AttentionText(found, NewNames(s, For(found.rows.index)), *tile, group_rows, chosen)
    new = t.new
    s.instr.replace(s.handle(found.path), t.nest())
    for copy in (new.queries, new.keys, new.values):
        s.gpu.async_copy(copy)
    if not floats:
        s.gpu.tensor_cores(For(new.g) / For(new.i, body=For(new.e)))
        s.gpu.tensor_cores(For(new.g) / For(new.i, body=For(new.j, body=Write(new.acc))))
    fragments = {new.acc: 1, new.top: 1, new.total: 1}
    fragments |= {new.s: 1, new.next: 1} if floats else {new.s: 0, new.next: 0, new.p: 0}
    grid = [*(x.index for x in found.grid), new.b]
    s.gpu.launch(grid=grid, block=[new.g], fragments=fragments, group=group, shared=[new.p] if floats else [])
    s.gpu.pipeline(new.kb, stages=stages)


@dataclass(frozen=True)
class AttentionText:
    """The program of one kernel, as plain C. Row i of group g of block b is row `row` of the program, key j of tile kb is `key`."""

    a: AttentionReading
    new: NewNames
    rows: int
    keys: int
    group_rows: int
    exponential: str

    @property
    def depth(self) -> int:
        return value_of(counted(self.a.inner).count) or 0

    @property
    def width(self) -> int:
        return value_of(counted(self.a.cols).count) or 0

    @property
    def has_floats(self) -> bool:
        return self.a.elem == FLOAT

    @property
    def first(self) -> str:
        """The first row of a block. Where later rows have more keys, their blocks come first: none is left alone at the end."""
        blocks = f"({self.count} + {self.rows - 1}) / {self.rows}"
        return f"{self.rows} * ({blocks} - 1 - {self.new.b})" if self.growth > 0 else f"{self.rows} * {self.new.b}"

    @property
    def count(self) -> str:
        return f"({print_expr(counted(self.a.rows).count)})"

    @property
    def growth(self) -> int:
        """How many more keys a row has than the one before."""
        one, other = (polynomial(self.keys_of(lit(n))) for n in range(2))
        growth = (other - one).constant
        if growth is None:
            raise refuse("the number of keys is no multiple of the row and a rest", code="OG603")
        return int(growth)

    def keys_of(self, row: Expr) -> Expr:
        """The number of keys of a row."""
        return collect_terms(substitute(self.a.key_count, {self.a.rows.index: row}))

    def key_bound(self, row: str) -> str:
        return f"({print_expr(self.keys_of(as_expression(row)))})"

    def element(self, source: Element, **names: str) -> str:
        """An element of an array of the program, for other rows, keys, columns and summands."""
        loops = {"row": self.a.rows, "key": self.a.keys, "col": self.a.cols, "e": self.a.inner}
        values = {loops[role].index: as_expression(text) for role, text in names.items()}
        return source.array + "".join(f"[{print_expr(substitute(i, values))}]" for i in source.indices)

    def nest(self) -> str:
        """All loops: those over batches, and the one over blocks of rows."""
        body = "".join((
            self.copy(self.new.queries, self.rows, self.depth, f"{self.first} + {self.new.i}", self.count, self.a.queries, "row"),
            self.start(), self.tiles(), self.store(),
        ))  # fmt: skip
        loops = [(x.index, print_expr(counted(x).count)) for x in self.a.grid]
        for index, bound in reversed([*loops, (self.new.b, f"({self.count} + {self.rows - 1}) / {self.rows}")]):
            body = loop(index, bound, body)
        return body

    def copy(self, tile: str, rows: int, cols: int, at: str, bound: str, source: Element, role: str) -> str:
        """The copy of a tile of an array, with zeros outside of it."""
        i, e = self.new.i, self.new.e
        inside = self.element(source, **{role: at, "col" if source is self.a.values else "e": e})
        return f"{self.a.elem.name} {tile}[{rows}][{cols}];\n" + loop(
            i, rows, loop(e, cols, f"if ({at} < {bound}) {tile}[{i}][{e}] = {inside}; else {tile}[{i}][{e}] = 0.0f;\n")
        )

    def start(self) -> str:
        """Fragments of a block: sums of values, and the greatest scores and sums of exponentials of rows so far."""
        n, groups = self.new, self.rows // self.group_rows
        text = f"float {n.acc}[{groups}][{self.group_rows}][{self.width}];\n"
        vectors = [n.top, n.total, *([n.next] if self.has_floats else [])]
        text += "".join(f"float {v}[{groups}][{self.group_rows}];\n" for v in vectors)
        text += f"float {n.s}[{groups}][{self.group_rows}][{self.keys}];\n" if self.has_floats else ""
        zero = loop(n.c, self.width, f"{n.acc}[{n.g}][{n.i}][{n.c}] = 0.0f;\n")
        return text + self.in_groups(
            self.in_rows(f"{n.top}[{n.g}][{n.i}] = {LEAST};\n{n.total}[{n.g}][{n.i}] = 0.0f;\n{zero}")
        )

    def in_groups(self, body: str) -> str:
        return loop(self.new.g, self.rows // self.group_rows, body)

    def in_rows(self, body: str) -> str:
        return loop(self.new.i, self.group_rows, body)

    def tiles(self) -> str:
        """The loop over tiles of keys and values."""
        n = self.new
        last = f"{self.first} + {self.rows - 1}" if self.growth > 0 else self.first
        key = f"{self.keys} * {n.kb} + {n.i}"
        limit = f"({print_expr(self.a.key_limit)})"
        body = self.copy(n.keys, self.keys, self.depth, key, limit, self.a.factors, "key")
        body += self.copy(n.values, self.keys, self.width, key, limit, self.a.values, "key")
        body += self.by_floats() if self.has_floats else self.by_tensor_cores()
        return loop(n.kb, f"({self.key_bound(last)} + {self.keys - 1}) / {self.keys}", body)

    def by_tensor_cores(self) -> str:
        n, elem = self.new, self.a.elem.name
        sizes = f"[{self.group_rows}][{self.keys}]"
        local = f"float {n.s}{sizes};\nfloat {n.next}[{self.group_rows}];\n{elem} {n.p}{sizes};\n"
        s, p = f"{n.s}[{n.i}][{n.j}]", f"{n.p}[{n.i}][{n.j}]"
        scores = loop(
            n.e, self.depth, f"{s} += {n.queries}[{self.group_rows} * {n.g} + {n.i}][{n.e}] * {n.keys}[{n.j}][{n.e}];\n"
        )
        values = loop(n.j, self.keys, f"{n.acc}[{n.g}][{n.i}][{n.c}] += {p} * {n.values}[{n.j}][{n.c}];\n")
        return self.in_groups(
            local + self.in_elements(f"{s} = 0.0f;\n") + self.in_elements(scores)
            + self.softmax(s, f"{n.next}[{n.i}]") + self.in_elements(f"{p} = {s};\n")
            + self.in_rows(loop(n.c, self.width, values))
        )  # fmt: skip

    def by_floats(self) -> str:
        """The same with sums of products by the cores of floats, for which the weights are in shared memory."""
        n = self.new
        s, p = f"{n.s}[{n.g}][{n.i}][{n.j}]", f"{n.p}[{self.group_rows} * {n.g} + {n.i}][{n.j}]"
        product = f"{s} += {n.queries}[{self.group_rows} * {n.g} + {n.i}][{n.e}] * {n.keys}[{n.j}][{n.e}];\n"
        sums = f"{n.acc}[{n.g}][{n.i}][{n.c}] += {p} * {n.values}[{n.j}][{n.c}];\n"
        scores = self.in_elements(f"{s} = 0.0f;\n") + loop(n.e, self.depth, self.in_elements(product))
        return (
            f"float {n.p}[{self.rows}][{self.keys}];\n"
            + self.in_groups(scores + self.softmax(s, f"{n.next}[{n.g}][{n.i}]") + self.in_elements(f"{p} = {s};\n"))
            + self.in_groups(loop(n.j, self.keys, self.in_rows(loop(n.c, self.width, sums))))
        )

    def in_elements(self, body: str) -> str:
        return self.in_rows(loop(self.new.j, self.keys, body))

    def softmax(self, s: str, following: str) -> str:
        """Scores of a tile become exponentials relative to the greatest score so far, and all sums are scaled to that. Scores that
        are products with a positive number stay without it up to the exponential."""
        n = self.new
        row, key = f"{self.first} + {self.group_rows} * {n.g} + {n.i}", f"{self.keys} * {n.kb} + {n.j}"
        top, total, factor = f"{n.top}[{n.g}][{n.i}]", f"{n.total}[{n.g}][{n.i}]", n.factor
        names = {
            self.a.rows.index: as_expression(row),
            self.a.keys.index: as_expression(key),
            self.a.dot: as_expression(s),
        }
        score = s if self.a.scale is not None else print_expr(substitute(self.a.score, names))
        scaled = loop(n.c, self.width, f"{n.acc}[{n.g}][{n.i}][{n.c}] *= {factor};\n")
        return "".join((
            self.where_inside(row, key, s, score, LEAST),
            self.in_rows(f"{following} = {top};\n"),
            self.in_elements(f"{following} = fmaxf({following}, {s});\n"),
            self.in_rows(
                f"float {factor} = {self.weight(top, following)};\n{total} *= {factor};\n{top} = {following};\n{scaled}"
            ),
            self.where_inside(row, key, s, self.weight(s, following), "0.0f"),
            self.in_elements(f"{total} += {s};\n"),
        ))  # fmt: skip

    def weight(self, score: str, best: str) -> str:
        """The exponential of a score relative to another one. A product less a product is one instruction."""
        if self.a.scale is None:
            return f"{self.exponential}({score} - {best})"
        scale = f"({print_expr(self.a.scale)})"
        return f"{self.exponential}({scale} * {score} - {scale} * {best})"

    def where_inside(self, row: str, key: str, s: str, value: str, outside: str) -> str:
        """Assign to the scores of a tile, and something else to those of keys that a row does not have: tested for each of them
        only where a tile has such keys."""
        n = self.new
        least = f"{self.first} + {self.group_rows} * {n.g}" + ("" if self.growth >= 0 else f" + {self.group_rows - 1}")
        whole = f"{self.keys} * {n.kb} + {self.keys} <= {self.key_bound(least)}"
        each = self.in_elements(f"{s} = {key} < {self.key_bound(row)} ? {value} : {outside};\n")
        if value == s:
            return f"if (!({whole})) {{\n{each}}}\n"
        return f"if ({whole}) {{\n{self.in_elements(f'{s} = {value};' + chr(10))}}} else {{\n{each}}}\n"

    def store(self) -> str:
        n = self.new
        row = f"{self.first} + {self.group_rows} * {n.g} + {n.i}"
        result = (
            f"{self.element(self.a.out, row=row, col=n.c)} = {n.acc}[{n.g}][{n.i}][{n.c}] / {n.total}[{n.g}][{n.i}];\n"
        )
        return self.in_groups(self.in_rows(f"if ({row} < {self.count}) {{\n{loop(n.c, self.width, result)}}}\n"))


def loop(index: str, bound: object, body: str) -> str:
    return f"for (int {index} = 0; {index} < {bound}; {index}++) {{\n{indent(body, '  ')}}}\n"


def propose_attention(s: TransformSession) -> Proposal | Unfit:
    """Fits a program with scores of rows and keys, and sums of values that are weighted by them."""
    found = only_attention(s)
    return Unfit("attention", found) if isinstance(found, str) else Proposal(attention, (), {})
